"""Draw the pictures of the documentation from real states of the model on the demo articles.

`python -m tools.draw_model` writes them to `docs/pictures/`; `--check` writes nothing, and exits with 1 if a picture is
out of date.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tools.pictures.components import components
from tools.pictures.probabilities import probabilities
from tools.pictures.restaurants import restaurants
from tools.pictures.states import problem_of, sample_seating, select
from tools.pictures.steps import steps

from samevent.clusterers import Evidence, clusterer
from samevent.clusterers.linked import Hddcrp
from samevent.corpus import Corpus
from samevent.demo import gold
from samevent.hddcrp.mixture import Mixture
from samevent.model import Model
from samevent.similarity.explanation import explain

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "pictures"
PRESET = "light"
"""The default preset."""
TAKEOVER = "compass-03-10", "ledger-03-11", "wire-03-27"
THEFT = "compass-03-12", "wire-03-13", "ledger-03-14"
CASUALTIES = {
    "kestry-deaths": "the deaths at Kestry",
    "kestry-injuries": "the injuries there",
    "tarnvale-deaths": "deaths at Tarnvale (there were none)",
    "tarnvale-injuries": "the injuries there",
}
SWEEPS, SEED = 100, 3


def pictures() -> dict[str, str]:
    """Return every picture by its name."""
    model = Model.load()
    corpus, evidence = _prepared(model, gold())
    clustered = _hddcrp(PRESET).cluster(evidence, seed=SEED)
    if not isinstance(clustered.posterior, Mixture):
        raise TypeError("similarities are not uncertain")
    middle = clustered.posterior.members[len(clustered.posterior.members) // 2]
    caption = "Colours are system events, among all mentions of the articles."
    return {
        "components.svg": components(corpus, clustered, middle),
        "probabilities.svg": probabilities(corpus, clustered, CASUALTIES, caption=caption),
        "restaurants.svg": _restaurants(model),
        "steps.svg": _steps(model),
    }


def _restaurants(model: Model) -> str:
    corpus, evidence = _prepared(model, select(gold(), TAKEOVER))
    seating = sample_seating(corpus, evidence, _hddcrp("paper"), sweeps=SWEEPS, seed=SEED)
    return restaurants(seating, caption=f"The paper's sampler and settings, sweep {SWEEPS}, seed {SEED}.")


def _steps(model: Model) -> str:
    system = _hddcrp(PRESET)
    corpus, evidence = _prepared(model, select(gold(), THEFT))
    clustered = system.cluster(evidence, seed=SEED)
    stolen = [m.id for m in corpus.mentions("action") if m.text in ("stole", "stolen")]
    first, last = (evidence.table.ids.index(name) for name in (stolen[0], stolen[-1]))
    why = explain(evidence.table, evidence.pair_model(system.pair_model), first, last)
    return steps(
        corpus, evidence, problem_of(evidence, system), clustered, why, least=system.minimum_similarity
    )


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
