"""The rules of the authors' program one by one: each added to the preset `paper`, and each taken from `paper-code`.

All variants run on the same mentions of the test topics of `yang2015`, with pair models of its train topics. Only the
rule that every verb is an event changes the mentions themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from samevent.clusterers import Clusterer, Evidence, clusterer
from samevent.corpus import Corpus
from samevent.experiments.cells import run_cell
from samevent.experiments.ecbplus import pairings_of
from samevent.experiments.mention_sets import MentionSet, mention_set
from samevent.experiments.protocols import GOLD, PREDICTED, TASKS
from samevent.experiments.scores import Scored, scored
from samevent.experiments.work import Work, corpus_digest, folder_digest, provenance
from samevent.language.cache import Cache
from samevent.model import Model
from samevent.preparation import parse
from samevent.scoring import Filter
from samevent.similarity.code_features import CODE_FEATURES, CONDITIONS, PAPER_NAMES
from samevent.similarity.model import PairModel
from samevent.similarity.pairs import LabelledMentions
from samevent.similarity.training import PairTrainingSettings, train
from samevent.training import labelled_mentions

HOW: Mapping[str, Any] = {"runs": 2, "sweeps": 100}
"""Shorter than the paper's runs: see the ablation of sweeps."""
PENALTIES = (0.01,)
"""The value of C that full training of both presets chooses."""
TASK = TASKS["yang2015"]
PAPER, CODE = "paper", "paper-code"

_FURTHER = tuple(f for f in CODE_FEATURES if f.name not in CONDITIONS.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a rule changes: settings of the clusterer and of the pair model, features, and the mentions."""

    changes: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    replaces: Mapping[str, str] = field(default_factory=dict)
    adds: tuple[str, ...] = ()
    verbs: bool = False


RULES: Mapping[str, Rule] = {
    "mentions of equal words are linked": Rule(changes={"identical_words": True}),
    "events generate two lemmas": Rule(changes={"observe": "two_lemmas"}),
    "context of different sentences only": Rule(replaces={"context": CONDITIONS["context"]}),
    "words of long mentions only": Rule(replaces={"words": CONDITIONS["words"]}),
    "first letters of tags": Rule(training={"tag_length": 1}),
    "further features": Rule(adds=tuple(f.name for f in _FURTHER)),
    "every verb is an event": Rule(verbs=True),
}
"""The rules of `paper-code`."""
GROUPS: Mapping[str, Rule] = {
    f"feature: {group}": Rule(adds=tuple(f.name for f in _FURTHER if f.group == group))
    for group in dict.fromkeys(f.group for f in _FURTHER)
}
"""The further features by group, on gold mentions alone."""
NEAR = Rule(training={"pairs": "near"})


@dataclass(frozen=True, slots=True)
class Variant:
    """Some rules together; `base` is the preset that it is compared with."""

    name: str
    base: str
    rules: tuple[Rule, ...]

    @property
    def verbs(self) -> bool:
        """Whether every verb is an event."""
        return any(rule.verbs for rule in self.rules)

    @property
    def settings(self) -> PairTrainingSettings:
        """How its pair model is trained."""
        replaced = {old: new for rule in self.rules for old, new in rule.replaces.items()}
        names = [replaced.get(name, name) for name in PAPER_NAMES]
        added = dict.fromkeys(name for rule in self.rules for name in rule.adds)
        settings = PairTrainingSettings(penalties=PENALTIES, features=(*names, *added))
        return replace(settings, **{k: v for rule in self.rules for k, v in rule.training.items()})

    @property
    def system(self) -> Clusterer:
        """The HDDCRP with its settings."""
        changes = {name: value for rule in self.rules for name, value in rule.changes.items()}
        return clusterer("hddcrp", {**HOW, **changes}, preset=PAPER)


def variants(mentions: str) -> Iterator[Variant]:
    """Yield both presets, then the paper with one rule more and the program with one rule less.

    Verbs matter only to extracted mentions; features are told apart on gold ones.
    """
    rules = {name: rule for name, rule in RULES.items() if mentions != GOLD or not rule.verbs}
    further = RULES["further features"]
    yield Variant(PAPER, PAPER, ())
    yield Variant(CODE, PAPER, tuple(rules.values()))
    for name, rule in rules.items():
        yield Variant(f"+ {name}", PAPER, (rule,))
    for name, rule in GROUPS.items() if mentions == GOLD else ():
        yield Variant(f"+ {name}", PAPER, (rule,))
    for name, rule in rules.items():
        yield Variant(f"- {name}", CODE, tuple(each for each in rules.values() if each is not rule))
    for name, rule in GROUPS.items() if mentions == GOLD else ():
        rest = Rule(adds=tuple(each for each in further.adds if each not in rule.adds))
        yield Variant(f"- {name}", CODE, tuple(rest if each is further else each for each in rules.values()))
    if mentions == GOLD:
        yield Variant("+ pairs of the program", CODE, (*rules.values(), NEAR))


def measure_rules(
    corpus: Corpus, work: Work, *, model: str, mentions: tuple[str, ...] = (GOLD, PREDICTED), seed: int = 0
) -> dict[str, Any]:
    """Measure all variants on mentions of the test topics; what finishes is kept in the work folder.

    The model must have been trained on the train topics: its extractor is used.
    """
    lab = _Lab(corpus, Model.load(model, cache=Cache()), work, seed)
    rows = [row for name in mentions for row in lab.rows(name)]
    return {
        "protocol": TASK.name,
        "part": "test",
        "clusterer": "hddcrp",
        "model": model,
        **provenance(seed, {"hddcrp": repr(Variant(PAPER, PAPER, ()).system)}),
        "rules": rows,
    }


class _Lab:
    """Mentions that are prepared and pair models that are trained once, when they are first needed."""

    def __init__(self, corpus: Corpus, model: Model, work: Work, seed: int) -> None:
        self.corpus, self.model, self.work, self.seed = corpus, model, work, seed
        self._models: dict[PairTrainingSettings, PairModel] = {}
        self._data: LabelledMentions | None = None

    def rows(self, mentions: str) -> Iterator[dict[str, Any]]:
        """Yield one row per variant and unit."""
        test = TASK.split.select(self.corpus, "test")
        sets: dict[bool, MentionSet] = {}
        measured: dict[str, dict[str, Scored]] = {}
        filter: Filter = "none" if mentions == GOLD else "head"
        for variant in variants(mentions):
            if variant.verbs not in sets:
                preset = CODE if variant.verbs else PAPER
                sets[variant.verbs] = mention_set(mentions, TASK, test, self.model, self.work, preset=preset)
            scores = measured[variant.name] = self._scores(variant, sets[variant.verbs], filter)
            self.work.log(
                f"{mentions}, {variant.name}: "
                + " / ".join(f"{100 * each.conll:.1f}" for each in scores.values())
            )
            for unit, each in scores.items():
                yield {
                    "mentions": mentions,
                    "filter": filter,
                    "variant": variant.name,
                    "base": variant.base,
                    "unit": unit,
                    **each.to_json(),
                    "difference": each.minus(measured.get(variant.base, scores)[unit]),
                }

    def _scores(self, variant: Variant, given: MentionSet, filter: Filter) -> dict[str, Scored]:
        evidence = given.prepared.evidence
        models = {PAPER: self._pair_model(variant.settings)}
        cell = run_cell(
            "rules",
            variant.system,
            Evidence(evidence.table, models, evidence.lexicon),
            depends_on=f"{variant.settings!r} {variant.verbs} {given.name} {corpus_digest(given.documents)} "
            f"{folder_digest(self.model.resources.folder)}",
            seed=self.seed,
            work=self.work,
        )
        kept = given.kept(filter)
        return {
            unit: scored(pairings_of(cell.clusterings, given.gold, kept, unit, "keep"), seed=self.seed)
            for unit in TASK.units
        }

    def _pair_model(self, settings: PairTrainingSettings) -> PairModel:
        if settings not in self._models:
            if self._data is None:
                split = TASK.split
                documents = [d for d in self.corpus if split.part_of(d) in ("train", "dev")]
                texts = parse(documents, self.model.resources.roles, jobs=self.work.jobs, cache=Cache())
                self._data = labelled_mentions(texts, self.model.resources, self.model.extractor)
            self._models[settings] = train(self._data, learn=TASK.split.train, settings=settings).model
        return self._models[settings]
