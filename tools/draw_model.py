"""Draw the pictures of the documentation from real states of the model, on the demonstration articles.

`python -m tools.draw_model` writes them to `docs/pictures/`; with `--check` it changes nothing and exits with 1 if
a picture is out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tools.pictures.groups import groups
from tools.pictures.restaurants import restaurants
from tools.pictures.states import only, problem_of, seated
from tools.pictures.steps import steps
from tools.pictures.telling import telling

from samevent.clusterers import Evidence, clusterer
from samevent.clusterers.hddcrp import Hddcrp
from samevent.corpus import Corpus
from samevent.demo import gold
from samevent.hddcrp.result import ComponentPosterior
from samevent.model import Model
from samevent.similarity.explanation import explain

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
PRESET = "light"
"""What users get."""
TAKEOVER = "compass-03-10", "ledger-03-11", "wire-03-27"
THEFT = "compass-03-12", "wire-03-13", "ledger-03-14"
CASUALTIES = {
    "kestry-deaths": "the deaths at Kestry",
    "kestry-injuries": "the injuries there",
    "tarnvale-deaths": "deaths at Tarnvale, of which there were none",
    "tarnvale-injuries": "the injuries there",
}
SWEEPS, SEED = 100, 3


def pictures() -> dict[str, str]:
    """Return every picture by its name."""
    model = Model.load()
    corpus, evidence = _prepared(model, gold())
    found = _hddcrp(PRESET).cluster(evidence, seed=SEED)
    if not isinstance(found.posterior, ComponentPosterior):
        raise TypeError("the posterior of the HDDCRP has no components")
    after = "Colours are the events that were found, among all mentions of the articles."
    return {
        "groups.svg": groups(corpus, found, found.posterior),
        "restaurants.svg": _restaurants(model),
        "steps.svg": _steps(model),
        "telling.svg": telling(corpus, found, CASUALTIES, after=after),
    }


def _restaurants(model: Model) -> str:
    corpus, evidence = _prepared(model, only(gold(), TAKEOVER))
    seating = seated(corpus, evidence, _hddcrp("paper"), sweeps=SWEEPS, seed=SEED)
    return restaurants(seating, after=f"The paper's sampler and settings, sweep {SWEEPS}, seed {SEED}.")


def _steps(model: Model) -> str:
    system = _hddcrp(PRESET)
    corpus, evidence = _prepared(model, only(gold(), THEFT))
    found = system.cluster(evidence, seed=SEED)
    stolen = [m.id for m in corpus.mentions("action") if m.text in ("stole", "stolen")]
    first, last = (evidence.table.ids.index(name) for name in (stolen[0], stolen[-1]))
    why = explain(evidence.table, evidence.pair_model(system.pair_model), first, last)
    return steps(corpus, evidence, problem_of(evidence, system), found, why, least=system.minimum_similarity)


def _prepared(model: Model, corpus: Corpus) -> tuple[Corpus, Evidence]:
    prepared = model.prepare(corpus)
    return prepared.corpus, prepared.evidence


def _hddcrp(preset: str) -> Hddcrp:
    system = clusterer("hddcrp", preset=preset)
    if not isinstance(system, Hddcrp):
        raise TypeError("the clusterer 'hddcrp' is not the HDDCRP")
    return system


def main() -> None:
    """Write the pictures, or check that they are up to date."""
    check, stale = "--check" in sys.argv, []
    for name, picture in pictures().items():
        path = PICTURES / name
        if not path.exists() or path.read_text("utf-8") != picture:
            stale.append(name)
            if not check:
                PICTURES.mkdir(parents=True, exist_ok=True)
                path.write_text(picture, "utf-8")
    for name in stale:
        print(f"docs/pictures/{name}: {'is out of date, run make docs' if check else 'drawn'}")
    sys.exit(1 if stale and check else 0)


if __name__ == "__main__":
    main()
