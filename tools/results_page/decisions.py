"""The section of the page for the results of `tools.measure_decisions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from tools.results_page.markdown import percent, table


def decisions(result: Mapping[str, Any]) -> str:
    """Return the section: what trees gain from answers about other texts of the same corpus."""
    rows, asked = result["rows"], result["answers"]
    before = np.array([row["before"] for row in rows])
    body = [["0", "", percent(before.mean()), "", ""]]
    for step in range(len(rows[0]["after"])):
        after = [row["after"][step] for row in rows]
        scores = np.array([each["conll"] for each in after])
        pairs, same = (np.mean([each[name] for each in after]) for name in ("pairs", "same"))
        body.append(
            [
                str(asked * (step + 1)),
                f"{pairs:.0f} ({same:.0f})",
                percent(scores.mean()),
                f"{100 * (scores - before).mean():+.1f}",
                f"{int((scores > before).sum())} of {len(rows)}",
            ]
        )
    return "\n\n".join(
        [
            "## What decisions teach",
            f"Topics of {result['corpus']} are dealt into three parts, several times. Trees (preset `light`, without a "
            "second look) learn from the first; the questions that they would ask about the second are answered by its "
            "gold events; the third is resolved by trees that learn from the first and the decided pairs (`samevent "
            "train similarity DATA --corrections FILE`). Means over all choices of parts, CoNLL F1, gold mentions:",
            table(["answers", "decided pairs (the same event)", "CoNLL F1", "gain", "better"], body),
            f"`python -m tools.measure_decisions`, seed {result['seed']}, commit `{str(result['commit'])[:10]}`.",
        ]
    )
