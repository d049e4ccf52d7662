"""The sampled systems, against problems written out pair by pair and the engine asked directly."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, logit

from clusterers.small import MODEL, cluster, evidence_of, in_a_hurry, sentence
from problems import posterior_by_hand, with_fields
from samevent.clusterers import CLUSTERERS, PRESETS, Evidence, clusterer
from samevent.clusterers.features import LF, SF, WF, Feature
from samevent.clusterers.hdp import Hdp
from samevent.clusterers.linked import Ddcrp, Hddcrp, HddcrpStar, Linked
from samevent.clusterers.rules import Agglomerative
from samevent.clusterers.sampling import Sampling
from samevent.errors import UsageError
from samevent.hddcrp import Problem, Uncertainty, fit, hddcrp_star, hdp, sample
from samevent.hddcrp.concentrations import GammaPrior
from samevent.hddcrp.observations import Channel
from samevent.hddcrp.problem import Rows
from samevent.partitions.diagnostics import ConvergenceWarning
from samevent.results.assembly import explain_pair
from samevent.similarity import tree_features
from samevent.similarity.blocking import Blocking
from samevent.similarity.boosted import USUAL_UNCERTAINTY
from samevent.similarity.boosting import BoostingSettings, fit_trees
from samevent.similarity.documents import compare_documents, document_similarity, topical_similarity
from samevent.similarity.explanation import explain
from samevent.similarity.links import MentionLinks
from samevent.similarity.mentions import CONTEXTUAL, LARGE_CONTEXTUAL
from samevent.similarity.model import LOG_LINEAR
from samevent.similarity.tree_features import CONTEXT_GROUP, LARGE_GROUP, TREE_FEATURES
from similarity.tables import all_pairs, random_corpus

TEXTS = [
    sentence("a", "raid kill raid on", 0, 1, 2),
    sentence("b", "the raid on", 1),
    sentence("c", "kill raid", 0, 1),
]


def problem_of(system: Linked, evidence: Evidence, *, document_weight: float = 0.0) -> Problem:
    """Return the problem that a system solves with all of its links."""
    return system.problem(evidence, system.links(evidence), document_weight=document_weight)


def words_by_hand(evidence: Evidence) -> tuple[Rows, int]:
    bags = evidence.table.fields["words"]
    lists = [
        np.repeat(
            bags.words[bags.starts[i] : bags.starts[i + 1]], bags.counts[bags.starts[i] : bags.starts[i + 1]]
        ).tolist()
        for i in range(len(bags))
    ]
    used = sorted({word for words in lists for word in words})
    return Rows.counted([[used.index(word) for word in words] for words in lists]), len(used)


def problem_by_hand(evidence: Evidence, gamma: float, **fields: Any) -> Problem:
    """Score every pair, drop those below 0.5, and weigh those across documents."""
    table, count = evidence.table, len(evidence)
    within, across = [], []
    for i in range(count):
        for j in range(i):
            a, b = np.array([i], np.int32), np.array([j], np.int32)
            f = float(MODEL.probability(table, a, b)[0])
            if f < 0.5:
                continue
            if table.document[i] == table.document[j]:
                within.append((i, j, f))
            else:
                sim = float(document_similarity(table, table.document[a], table.document[b])[0])
                across += [(i, j, f * np.exp(gamma * sim)), (j, i, f * np.exp(gamma * sim))]
    words, vocabulary = words_by_hand(evidence)
    return Problem(
        document=table.document,
        words=words,
        vocabulary=vocabulary,
        within=Rows.from_triples(count, *zip(*within, strict=True)),
        across=Rows.from_triples(count, *zip(*across, strict=True)),
        **fields,
    )


def test_hddcrp_has_the_posterior_that_enumeration_finds() -> None:
    evidence = evidence_of(TEXTS)
    settings: dict[str, Any] = {"alpha_within": 0.7, "alpha_across": 0.2, "dirichlet": 0.3}
    by_hand = posterior_by_hand(problem_by_hand(evidence, 2.0, **settings))
    found = cluster(Hddcrp(document_weight=2.0, **settings), evidence)
    ids = evidence.table.ids
    assert found.posterior is not None
    left, right = found.posterior.left.tolist(), found.posterior.right.tolist()
    for i, j in zip(left, right, strict=True):
        expected = sum(p for z, p in by_hand.items() if z[i] == z[j])
        assert found.probability(ids[i], ids[j]) == pytest.approx(expected, abs=1e-8)
    assert len(left) > 3


def test_ddcrp_is_flat_and_leaves_documents_out_of_account() -> None:
    evidence = evidence_of(random_corpus(3))
    by_hand = problem_by_hand(evidence, 0.0, alpha_flat=0.1)
    found = cluster(in_a_hurry("ddcrp", preset="paper"), evidence, seed=5)
    runs = sample(by_hand, model="ddcrp", seed=5, runs=2, sweeps=12)
    assert found.posterior.samples.tobytes() == runs.samples.tobytes()
    assert found.posterior.traces["log joint"].tolist() == runs.traces["log joint"].tolist()
    weighed = cluster(in_a_hurry("ddcrp", preset="paper", document_weight=3.0), evidence, seed=5)
    assert weighed.posterior.traces["log joint"].tobytes() != found.posterior.traces["log joint"].tobytes()


@pytest.mark.parametrize("sampler", ["collapsed", "paper"])
def test_hddcrp_as_in_the_paper_runs_from_random_links(sampler: str) -> None:
    evidence = evidence_of(random_corpus(3))
    by_hand = problem_by_hand(evidence, 1.0)
    found = cluster(in_a_hurry("hddcrp", preset="paper", sampler=sampler), evidence, seed=5)
    runs = sample(by_hand, sampler=sampler, seed=5, runs=2, sweeps=12, initial="links")  # type: ignore[arg-type]
    assert found.posterior.samples.tobytes() == runs.samples.tobytes()
    assert found.posterior.traces["log joint"].tolist() == runs.traces["log joint"].tolist()


def test_hddcrp_star_sees_similarity_within_documents_alone() -> None:
    evidence = evidence_of(random_corpus(3))
    by_hand = with_fields(problem_by_hand(evidence, 1.0), across=Rows.empty(len(evidence)))
    found = cluster(in_a_hurry("hddcrp-star", preset="paper"), evidence, seed=5)
    runs = hddcrp_star.sample(by_hand, seed=5, runs=2, sweeps=12, alpha_across=1.0)
    assert found.posterior.samples.tolist() == runs.samples[:, -1].tolist()
    assert found.posterior.traces["log joint"].tolist() == runs.log_joint.tolist()


def test_hdp_lex_observes_the_words_of_mentions() -> None:
    evidence = evidence_of(random_corpus(3), model=None)
    channel = Channel(*words_by_hand(evidence))
    found = cluster(in_a_hurry("hdp-lex", preset="paper"), evidence, seed=5)
    priors = GammaPrior(1.0, 1.0), GammaPrior(1.0, 10.0)
    runs = hdp.sample(evidence.table.document, [channel], priors=priors, seed=5, runs=2, sweeps=12)
    assert found.posterior.samples.tolist() == runs.samples[:, -1].tolist()


def test_hdp_concentrations_are_fixed_without_a_prior_and_runs_start_from_lemmas_if_asked() -> None:
    evidence = evidence_of(random_corpus(3), model=None)
    channel, table = Channel(*words_by_hand(evidence)), evidence.table
    fixed = {"prior_within": [], "prior_across": [2, 3], "start": "lemma"}
    system = clusterer("hdp-lex", {"runs": 2, "sweeps": 3, **fixed}, preset="paper")
    lemmas = [table.heads.lemmas[lemma] for lemma in table.heads.lemma[table.head]]
    runs = hdp.sample(
        table.document, [channel], priors=(None, GammaPrior(2.0, 3.0)), seed=5, runs=2, sweeps=3,
        labels=np.unique(lemmas, return_inverse=True)[1],
    )  # fmt: skip
    assert cluster(system, evidence, seed=5).posterior.samples.tolist() == runs.samples[:, -1].tolist()


def test_links_through_a_gate_are_those_between_documents_about_the_same() -> None:
    evidence = evidence_of(random_corpus(6, documents=8))
    links = evidence.links(0.1, pair_model="paper")
    about = compare_documents(evidence.table, links.pairs.i, links.pairs.j, topical_similarity)
    gate = float(np.median(about))
    found = evidence.links(0.1, pair_model="paper", document_gate=gate)
    kept = links[about >= gate]
    assert sorted(zip(found.pairs.i.tolist(), found.pairs.j.tolist(), strict=True)) == sorted(
        zip(kept.pairs.i.tolist(), kept.pairs.j.tolist(), strict=True)
    )
    assert 0 < len(kept.pairs) < len(links.pairs)
    problem = problem_of(Hddcrp(minimum_similarity=0.1, document_gate=gate), evidence, document_weight=1.0)
    assert len(problem.across.columns) == 2 * int((~kept.pairs.equal(evidence.table.document)).sum())


def test_clusterers_ask_the_pair_model_that_they_name() -> None:
    table, nothing = evidence_of(TEXTS).table, replace(MODEL, intercept=-50.0)
    evidence = Evidence(table, {"light": MODEL, "paper": nothing})
    assert len(evidence.links(0.5, pair_model="paper").pairs) == 0
    assert len(evidence.links(0.5, pair_model="light").pairs) > 0
    alone = cluster(Agglomerative(), evidence).labels
    assert len(set(alone.tolist())) == len(table)
    assert len(set(cluster(Agglomerative(pair_model="light"), evidence).labels.tolist())) < len(table)


def test_light_links_by_its_own_pair_model_and_the_paper_by_its() -> None:
    for name in ("hddcrp", "hddcrp-star", "ddcrp"):
        light, paper = clusterer(name, preset="light"), clusterer(name, preset="paper")
        assert isinstance(light, Linked)
        assert isinstance(paper, Linked)
        assert (light.pair_model, paper.pair_model) == ("light", "paper")
        assert (paper.minimum_similarity, paper.document_gate, paper.dirichlet) == (0.5, 0.0, 1e-7)
        assert light.dirichlet > 0.01


def test_presets_with_trees_integrate_over_their_uncertainty_and_the_paper_does_not() -> None:
    for preset in PRESETS:
        system = clusterer("hddcrp", preset=preset)
        assert isinstance(system, Hddcrp)
        assert system.uncertain == (preset not in LOG_LINEAR)
    with pytest.raises(UsageError, match="'last' similarities are taken as they are"):
        Hddcrp(uncertain=True, answer="last")


def test_the_papers_concentrations_are_in_its_preset() -> None:
    for preset in ("paper",):
        hddcrp, star = clusterer("hddcrp", preset=preset), clusterer("hddcrp-star", preset=preset)
        flat, lex = clusterer("ddcrp", preset=preset), clusterer("hdp-lex", preset=preset)
        assert isinstance(hddcrp, Hddcrp)
        assert isinstance(star, HddcrpStar)
        assert isinstance(flat, Ddcrp)
        assert isinstance(lex, Hdp)
        assert (hddcrp.alpha_within, hddcrp.alpha_across, hddcrp.document_weight) == (0.5, 0.001, 1.0)
        assert (star.alpha_within, star.alpha_across) == (0.5, 1.0)
        assert (flat.alpha, flat.document_weight) == (0.1, 0.0)
        assert (lex.alpha_within, lex.alpha_across, lex.features) == (0.5, 1.0, ("words",))
        assert lex.dirichlet == 1e-7
    for name, system in CLUSTERERS.items():
        paper = clusterer(name, preset="paper")
        if system.sampled:
            assert isinstance(system, Sampling)
            assert isinstance(paper, Sampling)
            assert (paper.answer, paper.runs, paper.sweeps) == ("last", 5, 500)
            assert system.answer == "consensus"
    assert clusterer("agglomerative", preset="paper") == Agglomerative(within=0.5, across=0.5)


def test_the_family_of_hdps_differs_in_what_it_observes() -> None:
    features: dict[str, tuple[tuple[Feature, ...], bool]] = {
        name: (system.features, system.structured) for name, system in CLUSTERERS.items() if isinstance(system, Hdp)
    }  # fmt: skip
    assert features == {
        "hdp-lex": (("words",), False),
        "hdp-1f": (("head_lemma",), False),
        "hdp-flat-lf": (LF, False),
        "hdp-flat-lf-wf": (LF + WF, False),
        "hdp-flat-lf-wf-sf": (LF + WF + SF, False),
        "hdp-struct": (LF + WF + SF, True),
    }
    assert {name for name, system in CLUSTERERS.items() if "arguments" not in system.needs} == {
        "lemma", "hdp-lex", "hdp-1f", "hdp-flat-lf", "hdp-flat-lf-wf",
    }  # fmt: skip


def test_mentions_are_encoded_once_and_only_for_trees_that_compare_contextual_vectors() -> None:
    table = evidence_of(random_corpus(5, documents=6, mentions=12)).table
    draw = np.random.default_rng(0)
    vectors = {name: draw.normal(size=(len(table), 4)).astype(np.float32) for name in CONTEXTUAL}
    encoded = table.with_contextual(vectors)
    i, j = all_pairs(table)
    columns = tree_features.columns(encoded, i, j)
    groups = tuple(sorted({f.group for f in TREE_FEATURES} - {CONTEXT_GROUP}))
    settings = BoostingSettings(rounds=3, leaf_pairs=5, without=groups)
    cosines = columns[:, [f.group == CONTEXT_GROUP for f in TREE_FEATURES]]
    trees = fit_trees(cosines, cosines[:, 0] > 0, np.ones(len(i)), settings)
    calls = []

    def encode() -> dict[str, Any]:
        calls.append(1)
        return vectors

    evidence = Evidence(table, {"standard": trees, "light": MODEL}, encode=encode)
    evidence.links(0.5, pair_model="light")
    assert not calls
    links = evidence.links(0.5, pair_model="standard")
    evidence.links(0.4, pair_model="standard")
    assert len(calls) == 1
    assert len(links.pairs)
    assert (links.similarity == trees.probability(encoded, links.pairs.i, links.pairs.j)).all()
    with pytest.raises(UsageError, match="compares contextual vectors, and the mentions have none"):
        Evidence(table, {"standard": trees}).links(0.5, pair_model="standard")


def test_large_encoder_reads_only_mentions_that_might_be_linked() -> None:
    table = evidence_of(random_corpus(5, documents=6, mentions=12)).table
    draw = np.random.default_rng(0)
    vectors = {name: draw.normal(size=(len(table), 4)).astype(np.float32) for name in CONTEXTUAL}
    large = {name: draw.normal(size=(len(table), 3)).astype(np.float32) for name in LARGE_CONTEXTUAL}
    whole = table.with_contextual(vectors | large)
    i, j = all_pairs(table)
    groups = tuple(sorted({f.group for f in TREE_FEATURES} - {CONTEXT_GROUP, LARGE_GROUP}))
    blocking = Blocking(documents=1.1, head_vector=2.0, contextual=2.0)
    settings = BoostingSettings(rounds=5, leaf_pairs=5, without=groups, blocking=blocking)
    columns = tree_features.columns(whole, i, j, settings.features)
    trees = fit_trees(columns, columns[:, 3] > 0, np.ones(len(i)), settings)
    assert trees.needs_large
    read: list[int] = []

    def encode_rows(rows: Any) -> dict[str, Any]:
        read.extend(rows.tolist())
        return {name: part[rows] for name, part in large.items()}

    evidence = Evidence(table, {"best": trees}, encode=lambda: vectors, encode_rows=encode_rows)
    links = evidence.links(0.3, pair_model="best")
    evidence.links(0.2, pair_model="best")
    partnered = np.flatnonzero(blocking.partnered(whole)).tolist()
    assert sorted(read) == partnered, "each once"
    assert 0 < len(partnered) < len(table)
    assert len(links.pairs)
    assert (links.similarity == trees.probability(whole, links.pairs.i, links.pairs.j)).all()
    alone = next(row for row in range(len(table)) if row not in partnered)
    explained = explain_pair(evidence, trees, table.ids[alone], table.ids[partnered[0]])
    assert read[-1] == alone
    assert explained == explain(whole, trees, alone, partnered[0])


def test_likelihood_weight_is_that_of_the_problem() -> None:
    evidence = evidence_of([sentence("a", "raid kill", 0, 1)])
    for system in (Ddcrp(likelihood_weight=0.25), Hddcrp(likelihood_weight=0.25)):
        assert problem_of(system, evidence).likelihood_weight == 0.25
    assert problem_of(Ddcrp(), evidence).likelihood_weight == 1.0


def test_identical_words_make_a_link_where_the_model_sees_none() -> None:
    evidence = evidence_of([sentence("a", "raid kill ...", 0, 1, 2), sentence("b", "the raid ...", 1, 2)])
    high: dict[str, Any] = {"minimum_similarity": 0.99}
    assert len(evidence.links(0.99, pair_model="paper").pairs) == 0
    apart = problem_of(Ddcrp(**high), evidence)
    joined = problem_of(Ddcrp(**high, identical_words=True), evidence)
    assert len(apart.across.columns) == 0
    assert joined.across.rows.tolist() == [0, 3]
    assert joined.across.columns.tolist() == [3, 0]
    assert joined.across.values.tolist() == [1.0, 1.0]
    assert len(joined.within.columns) == 0


def test_identical_words_leave_what_the_model_says_of_links() -> None:
    evidence = evidence_of(random_corpus(3, documents=8, mentions=12))

    def links(identical_words: bool) -> dict[tuple[int, int], float]:
        system = Ddcrp(minimum_similarity=0.75, identical_words=identical_words)
        across = problem_of(system, evidence).across
        pairs = zip(across.rows.tolist(), across.columns.tolist(), strict=True)
        return dict(zip(pairs, across.values.tolist(), strict=True))

    before, after = links(False), links(True)
    assert before
    assert before.items() < after.items()
    assert {f for pair, f in after.items() if pair not in before} == {1.0}


def test_every_setting_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "clusterers.md").read_text()
    names = {field.name for system in CLUSTERERS.values() for field in fields(system)}
    assert [name for name in sorted({*names, *CLUSTERERS}) if f"`{name}`" not in page] == []


def test_chains_that_have_not_settled_are_warned_of() -> None:
    with pytest.warns(ConvergenceWarning, match="Try more sweeps"):
        in_a_hurry("hdp-lex").cluster(evidence_of(random_corpus(3)))


@pytest.mark.parametrize(
    ("name", "changes", "says"),
    [
        ("hddcrp", {"runs": 1}, "'runs' is 1; expected 2 or more"),
        ("hddcrp", {"alpha_within": 0}, "'alpha_within' is 0"),
        ("hddcrp", {"document_weight": -1}, "'document_weight' is -1"),
        ("hddcrp-star", {"alpha_across": float("nan")}, "'alpha_across' is nan"),
        ("ddcrp", {"minimum_similarity": 1}, "'minimum_similarity' is 1"),
        ("ddcrp", {"alpha": -0.1}, "'alpha' is -0.1"),
        ("hdp-lex", {"dirichlet": 0.0}, "'dirichlet' is 0.0"),
        ("hdp-lex", {"features": []}, "'features' is \\[\\]"),
        (
            "hdp-lex",
            {"prior_within": [1]},
            "'prior_within' is \\[1.0\\]; expected shape and rate, or nothing",
        ),
        ("hdp-lex", {"prior_across": [1, -1]}, "'prior_across' is \\(1.0, -1.0\\); expected shape and rate"),
        ("hdp-lex", {"start": "all"}, "'start' is 'all'; expected alone or lemma"),
        ("hdp-lex", {"features": ["words", "words"]}, "each once"),
        ("hdp-lex", {"sweeps": 0}, "'sweeps' is 0"),
        ("hdp-lex", {"features": ["wordz"]}, "'features' is 'wordz'; expected words or head_lemma"),
        ("lemma", {"runs": 3}, "there is no setting 'runs'; expected none"),
        ("hdpcrp", {}, "there is no clusterer 'hdpcrp'.*Did you mean hddcrp"),
    ],
)
def test_settings_that_make_no_sense_are_refused(name: str, changes: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        clusterer(name, changes)


def test_uncertain_similarities_are_odds_of_shifted_pairs() -> None:
    """The only member with spread 0 solves the problem with shifted odds, of links that reach the threshold."""
    evidence = evidence_of(random_corpus(5))
    system = Hddcrp(uncertain=True, draws=1, minimum_similarity=0.5, runs=2, sweeps=16, document_weight=0.7)
    links = evidence.links(0.1, pair_model="paper")
    mixture = system.integrated(evidence, links, Uncertainty(shift=-0.5), seed=3)
    shifted = logit(links.similarity) - 0.5
    kept = shifted >= 0
    assert 0 < kept.sum() < len(kept)
    odds = MentionLinks(links.pairs[kept], np.exp(shifted[kept]))
    plain = fit(
        system.problem(evidence, odds, document_weight=0.7, alpha_within=0.5, alpha_across=0.001),
        seed=3, chains=2, sweeps=16, exact_limit=1e4,
    )  # fmt: skip
    assert mixture.probabilities(plain.left, plain.right) == pytest.approx(plain.together, abs=1e-9)
    assert (mixture.samples == plain.samples).all()


def test_pairs_that_no_shift_lifts_over_the_threshold_are_no_links() -> None:
    evidence = evidence_of(random_corpus(5))
    system = Hddcrp(uncertain=True, draws=16)
    lowest = expit(-USUAL_UNCERTAINTY.shifts(16)[-1])
    assert system.links(evidence).similarity.min() >= lowest
    assert len(system.links(evidence).pairs) == len(evidence.links(lowest, pair_model="paper").pairs)
