"""From a corpus with event mentions to evidence: parse it, give events their arguments, compile the mentions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from samevent.clusterers.base import Evidence, Need
from samevent.corpus import KINDS, Document, Kind
from samevent.extraction import EXTRACTOR_FILE, Extractor, Parsed, associate, label_events
from samevent.language.annotate import annotate
from samevent.language.annotation import Annotation
from samevent.language.cache import Cache
from samevent.language.resources import Resources
from samevent.similarity.mentions import compile_mentions
from samevent.similarity.model import LIGHT_FILE, SIMILARITY_FILE, PairModel

_ARGUMENTS: tuple[Kind, ...] = tuple(kind for kind in KINDS if kind != "action")


def read_evidence(
    documents: Iterable[Document],
    resources: Resources,
    *,
    needs: Collection[Need] = ("arguments", "similarity"),
    jobs: int = 1,
    cache: Cache | None = None,
    progress: Callable[[int], None] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Evidence:
    """Read what clusterers with these needs look at.

    Where a document has no participants, times or locations, the model's extractor finds them; `tell` hears of it
    if there is none. Arguments that events have stay as they are.
    """
    models = pair_models(resources.folder) if "similarity" in needs else {}
    annotated = annotate(documents, jobs=jobs, cache=cache, progress=progress)
    if "arguments" in needs:
        file = resources.folder / EXTRACTOR_FILE
        extractor = Extractor.load(file, resources) if file.exists() else None
        if extractor is None and tell:
            tell(
                f"the model has no {EXTRACTOR_FILE}: events have only those arguments that the input has mentions of"
            )
        annotated = ((_with_arguments(d, a, resources, extractor), a) for d, a in annotated)
    table = compile_mentions(annotated, lexicon=resources.lexicon, vectors=resources.vectors)
    return Evidence(table, models, resources.lexicon)


def pair_models(folder: Path) -> dict[str, PairModel]:
    """Return the pair models of a model's folder by name: the paper's, and `light` if there is one."""
    models = {"paper": PairModel.load(folder / SIMILARITY_FILE)}
    if (light := folder / LIGHT_FILE).exists():
        models["light"] = PairModel.load(light)
    return models


def _with_arguments(
    document: Document, annotation: Annotation, resources: Resources, extractor: Extractor | None
) -> Document:
    """Return the document with arguments on its events, among given mentions and those an extractor finds."""
    missing = [kind for kind in _ARGUMENTS if not any(m.kind == kind for m in document.mentions)]
    if extractor and missing:
        predicates = resources.roles.label(document, annotation)
        return extractor.extract(Parsed(document, annotation, predicates), kinds=missing)
    return associate(document, annotation, label_events(resources.roles, document, annotation))
