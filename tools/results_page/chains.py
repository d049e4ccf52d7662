"""Whether chains end in the same place wherever they start (`tools.chain_starts`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tools.results_page.markdown import table

Json = Mapping[str, Any]

NAMES = {"alone": "single mentions", "lemma": "lemmas"}
MENTIONS = {"gold": "gold", "predicted": "extracted"}
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
