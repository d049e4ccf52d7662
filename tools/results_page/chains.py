"""Whether chains end in the same place wherever they start (`tools.chain_starts`), and what a sweep of them costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.results_page.markdown import table

Json = Mapping[str, Any]

NAMES = {"alone": "single mentions", "lemma": "lemmas"}
MENTIONS = {"gold": "gold", "predicted": "extracted"}
TIMED = {
    "hdp": "HDP, words",
    "hdp_three_channels": "HDP, three channels",
    "hdp_twenty_features": "HDP, twenty features of a mention, as in HDP-flat",
    "hddcrp_star": "HDDCRP*",
    "hddcrp": "HDDCRP",
}
"""What `benchmarks/crp.py` times."""
SETTLED = 1.1
"""R-hat of the number of events below which chains count as being in the same place."""


def chain_starts(result: Json) -> str:
    """Return the section."""
    parts = [
        "## Where chains start",
        "Chains of the HDP family, as many from one event for each mention as from one for each head lemma, on the "
        "test topics of `yang2015`. Means are over the second half of each chain. R-hat is that of all chains "
        f"together; below {SETTLED}, both starts count as having ended in the same place. The rise is how far the "
        "mean log joint still went up from the third quarter of the sweeps to the last.",
    ]
    heads = [
        "",
        "mentions",
        "runs x sweeps",
        "start",
        "events",
        "log joint",
        "rise",
        "R-hat, events",
        "log joint",
    ]
    body = []
    for row in result["chain_starts"]:
        about = [
            f"`{row['clusterer']}`",
            f"{row['given']:,} {MENTIONS.get(row['mentions'], row['mentions'])}",
            f"{row['runs']} x {row['sweeps']}",
        ]
        rhat = [f"{row['rhat'][name]:.2f}" for name in ("events", "log joint")]
        for number, (start, each) in enumerate(row["starts"].items()):
            body.append(
                [
                    *(about if number == 0 else [""] * len(about)),
                    NAMES.get(start, start),
                    ", ".join(f"{value:,.0f}" for value in each["events"]),
                    ", ".join(f"{value:,.0f}" for value in each["log joint"]),
                    f"{each['rise']:+,.0f}",
                    *(rhat if number == 0 else [""] * len(rhat)),
                ]
            )
    return "\n\n".join([*parts, table(heads, body), _conclusion(result["chain_starts"])])


def _conclusion(rows: list[Json]) -> str:
    """Return which clusterers forget their start."""
    apart = [row for row in rows if not row["rhat"]["events"] < SETTLED]
    if not apart:
        return "All of them end in the same place, wherever they start."
    names = ", ".join(f"`{row['clusterer']}` on {row['given']:,} mentions" for row in apart)
    return f"Not settled within these sweeps: {names}."


def speed(result: Json) -> str:
    """Return the section on the time of a sweep."""
    body = [
        [
            title,
            f"{result[f'{name}_ns_per_update'] / 1000:.1f}",
            _thousandth(result.get(f"{name}_floor_ns_per_update")),
            f"{result[f'{name}_clusters']:,}",
        ]
        for name, title in TIMED.items()
    ]
    about = (
        f"On a synthetic corpus of {result['n']:,} mentions in {result['documents']:,} documents "
        "(`python benchmarks/crp.py --json`). The floor is one pass over the clusters that share a feature with each "
        "mention."
    )
    columns = ["", "microseconds per mention and sweep", "floor", "clusters"]
    return "\n\n".join(["## Time of a sweep", about, table(columns, body)])


def _thousandth(value: float | None) -> str:
    return "" if value is None else f"{value / 1000:.2f}"
