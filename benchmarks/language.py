"""How fast the language layer is, beside what it stands on, in the same run.

Prints one JSON object a part. `annotate`: words a second of our annotation and of spaCy's own `nlp.pipe` over the
same texts (`ratio_to_spacy`: ours by spaCy's). `lexicon` and `vectors`: seconds to load, microseconds a look-up.
`roles`: predicates a second, given the parse.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from samevent.formats import read
from samevent.language.annotate import DEFAULT_MODEL, Annotator
from samevent.language.resources import Resources, resources

EXAMPLES = Path(__file__).parents[1] / "examples" / "gold.jsonl"
REPEATS = 20
WORDS = "attack bombed earthquakes arrest purchase killing sank stolen portrait museum".split()


def seconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def measure() -> Iterator[dict[str, float | str]]:
    """Measure every part."""
    import spacy

    documents = list(read(EXAMPLES)) * REPEATS
    annotator = Annotator()
    annotated = [annotator(document) for document in documents]  # also loads the model
    words = sum(len(document.tokens) for document, _ in annotated)
    ours = seconds(lambda: [annotator(document) for document in documents])
    nlp = spacy.load(DEFAULT_MODEL)
    texts = [document.text for document in documents]
    list(nlp.pipe(texts[:5]))
    theirs = seconds(lambda: list(nlp.pipe(texts)))
    yield {
        "part": "annotate",
        "words_per_second": words / ours,
        "spacy_words_per_second": words / theirs,
        "ratio_to_spacy": theirs / ours,
    }

    model = resources()
    yield {"part": "lexicon", "load_seconds": seconds(lambda: model.lexicon), **_lookups(model)}
    yield {
        "part": "vectors",
        "load_seconds": seconds(lambda: model.vectors),
        "lookup_us": _each(lambda word: model.vectors.vector(word)),
    }
    model.roles.label(*annotated[0])  # compiles what is compiled
    found = 0

    def label() -> None:
        nonlocal found
        found = sum(len(model.roles.label(*pair)) for pair in annotated)

    taken = seconds(label)
    yield {"part": "roles", "predicates": found, "predicates_per_second": found / taken}


def _lookups(model: Resources) -> dict[str, float]:
    lexicon = model.lexicon
    return {
        "hypernyms_us": _each(lambda word: lexicon.hypernyms(word, "n")),
        "synonyms_us": _each(lambda word: lexicon.synonyms(word, "v")),
        "frame_roles_us": _each(lambda word: lexicon.frame_roles(word, "v")),
    }


def _each(look_up: Callable[[str], object]) -> float:
    rounds = 200
    return (
        1e6
        * seconds(lambda: [look_up(word) for _ in range(rounds) for word in WORDS])
        / (rounds * len(WORDS))
    )


def main() -> None:
    """Print one JSON object a part."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--json", action="store_true", help="(the only form)")
    parser.parse_args()
    for result in measure():
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
