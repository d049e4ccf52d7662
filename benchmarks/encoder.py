"""How fast the contextual encoder is, beside spaCy's parse of the same documents in the same run.

Prints one JSON object. `tokens_per_cpu_second`: word pieces that the encoder reads; `ratio_to_parse`: CPU time to
encode the gold mentions by CPU time to parse. The shortest of several repetitions counts. Only sentences with
mentions are encoded; `sentences_read` is their share, and `ratio_if_all` what the ratio were if all were. The large
encoder of the preset best is measured if it is installed.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

from samevent.corpus import Corpus
from samevent.formats import read
from samevent.language.annotate import Annotator
from samevent.language.encoder import Encoder, mention_vectors
from samevent.language.resources import DEFAULT, resources

EXAMPLES = Path(__file__).parents[1] / "examples" / "gold.jsonl"
REPEATS = 5


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the least CPU time of several calls."""
    times = []
    for _ in range(REPEATS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def measure(corpus: Corpus, encoder: Encoder) -> dict[str, float]:
    """Encode and parse a corpus with mentions."""
    mentions = list(corpus.mentions("action"))
    units = [
        u for d in corpus for u in encoder.reader.read(d, [m for m in mentions if m.document == d.id])[0]
    ]
    annotator = Annotator()
    annotator(corpus.documents[0])  # loads the parser
    mention_vectors(encoder, corpus, mentions[:1])  # loads the encoder
    parse = cpu_seconds(lambda: [annotator(document) for document in corpus])
    encode = cpu_seconds(lambda: mention_vectors(encoder, corpus, mentions))
    share = len(units) / sum(len(document.sentences) for document in corpus)
    return {
        "documents": len(corpus),
        "words": sum(len(document.tokens) for document in corpus),
        "mentions": len(mentions),
        "sentences_read": round(share, 3),
        "tokens_per_cpu_second": round(sum(len(unit.pieces) for unit in units) / encode),
        "mentions_per_cpu_second": round(len(mentions) / encode),
        "ratio_to_parse": round(encode / parse, 3),
        "ratio_if_all": round(encode / parse / share, 3),
    }


def tokens_per_second(corpus: Corpus, encoder: Encoder) -> int:
    """Return how many word pieces an encoder reads per CPU second."""
    units = [
        u for d in corpus for u in encoder.reader.read(d, [m for m in d.mentions if m.kind == "action"])[0]
    ]
    encoder.encode(units[0])  # loads it
    seconds = cpu_seconds(lambda: [encoder.encode(unit) for unit in units])
    return round(sum(len(unit.pieces) for unit in units) / seconds)


def main() -> None:
    """Print one JSON object."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", nargs="?", type=Path, default=EXAMPLES, help="documents with mentions")
    parser.add_argument("--model", default=DEFAULT, help="a model with an encoder")
    parser.add_argument("--json", action="store_true", help="(the only form)")
    arguments = parser.parse_args()
    corpus, parts = read(arguments.corpus), resources(arguments.model)
    figures = measure(corpus, parts.encoder)
    if parts.has_large_encoder:
        figures["large_tokens_per_cpu_second"] = tokens_per_second(corpus, parts.large_encoder)
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
