"""How fast extraction is after parsing, beside the parser in the same run.

Documents are every 8th of ECB+ where the data folder is there, else the examples over and over. Prints one JSON
object: sentences a second of processor time for each part, its share of the whole, and features and decoding together,
which is what the CRF adds to parse and roles. The parts are

- `parsing`: spaCy, without the cache;
- `roles`: predicates and who fills their roles, which the CRF reads;
- `features`: words met for the first time are looked up in the lexicon (`warm`: all have been met before);
- `decoding`: potentials, marginals, candidates;
- `arguments`: the roles of the events that were found, and which mentions fill them.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from samevent.corpus import KINDS, Document
from samevent.extraction import Extractor, Parsed, associate, label_events, load_extractor
from samevent.extraction.decoding import decode
from samevent.extraction.features import Features
from samevent.formats import read
from samevent.language.annotate import Annotator
from samevent.language.resources import DEFAULT

DATA = Path(os.environ.get("SAMEVENT_DATA") or Path(__file__).parents[2] / "shared" / "data") / "ecbplus"
EXAMPLES = Path(__file__).parents[1] / "examples" / "gold.jsonl"
EVERY = 8
REPEATS = 60

Given = TypeVar("Given")
Made = TypeVar("Made")


def bare_documents(data: Path) -> list[Document]:
    """Return the documents to extract from, without their gold mentions."""
    documents = (
        list(read(data, format="ecbplus"))[::EVERY] if data.exists() else list(read(EXAMPLES)) * REPEATS
    )
    return [document.with_mentions([]) for document in documents]


def timed(work: Callable[[Given], Made], things: list[Given]) -> tuple[list[Made], float]:
    """Return what is made of all things, and the seconds that took a processor."""
    work(things[0])  # loads what is loaded late, compiles what is compiled
    start = time.process_time()
    made = [work(thing) for thing in things]
    return made, time.process_time() - start


def measure(extractor: Extractor, documents: list[Document]) -> dict[str, Any]:
    """Take each part of extraction on its own, document by document."""
    roles = extractor.resources.roles

    def decode_all(features: Features) -> None:
        probable = extractor.probabilities(features)
        for k in range(len(KINDS)):
            decode(probable[:, :, k], features.segment_heads, int(extractor.limits[k]), features.borders)

    def find_arguments(text: Parsed) -> None:
        document, annotation = text[:2]
        associate(document, annotation, label_events(roles, document, annotation))

    seconds: dict[str, float] = {}
    annotated, seconds["parsing"] = timed(Annotator(), documents)
    predicates, seconds["roles"] = timed(lambda pair: roles.label(*pair), annotated)
    texts = [Parsed(*pair, found) for pair, found in zip(annotated, predicates, strict=True)]
    features, seconds["features"] = timed(extractor.features, texts)
    _, warm = timed(extractor.features, texts)
    _, seconds["decoding"] = timed(decode_all, features)
    found = [text._replace(document=_extracted(extractor, text)) for text in texts]
    _, seconds["arguments"] = timed(find_arguments, found)

    sentences = sum(len(document.sentences) for document, _ in annotated)
    crf = seconds["features"] + seconds["decoding"]
    return {
        "documents": len(documents),
        "sentences": sentences,
        "sentences_per_second": {part: sentences / taken for part, taken in seconds.items()},
        "share": {part: taken / sum(seconds.values()) for part, taken in seconds.items()},
        "features_and_decoding_per_second": sentences / crf,
        "features_and_decoding_per_second_warm": sentences / (warm + seconds["decoding"]),
        "parsing_by_features_and_decoding": seconds["parsing"] / crf,
    }


def _extracted(extractor: Extractor, text: Parsed) -> Document:
    """Return the document with the mentions of the balanced point, before they have arguments."""
    thresholds = extractor.thresholds.balanced
    found = (m for m in extractor.mentions(text) if (m.probability or 0) >= thresholds[m.kind])
    return text.document.with_mentions(found)


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="(the only form)")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of ECB+")
    parser.add_argument("--model", default=DEFAULT, help="a shipped model's name, or a model's folder")
    options = parser.parse_args()
    with threadpool_limits(1):
        print(json.dumps(measure(load_extractor(options.model), bare_documents(options.data))))


if __name__ == "__main__":
    main()
