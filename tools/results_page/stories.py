"""The section of the page for the results of `samevent experiment stories`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tools.results_page.markdown import percent, table


def stories(results: Iterable[Mapping[str, Any]]) -> str:
    """Return the section: stories against gold groups of documents, and how many of the first events are main ones."""
    measured = list(results)
    parts = [
        "## Stories and what leads",
        "`samevent experiment stories`, raw text: groups of documents against the corpus's own, beside average linkage "
        "of tf-idf cosines, B-cubed F1 / V-measure at several cuts (\\* is the one in use). How the cuts in use were "
        "chosen is not recorded, so compare whole rows.",
    ]
    for result in measured:
        cuts = sorted({row["cut"] for row in result["rows"]})
        body = []
        for groups, system in dict.fromkeys((row["groups"], row["system"]) for row in result["rows"]):
            rows = {
                row["cut"]: row
                for row in result["rows"]
                if (row["groups"], row["system"]) == (groups, system)
            }
            used = result["cuts"][system]
            cells = [
                f"{percent(rows[cut]['bcubed']['f1'])} / {percent(rows[cut]['v_measure'])}"
                + (" \\*" if cut == used else "")
                for cut in cuts
            ]
            body.append([f"{rows[cuts[0]]['gold']} {groups}, {system}", *cells])
        parts += [
            f"### {result['corpus']}, stories, preset {result['preset']}",
            f"{result['documents']:,} documents, model {result['model']}, seed {result['seed']}, commit "
            f"`{str(result['commit'])[:10]}`.",
            table(["", *(f"{cut:.2f}" for cut in cuts)], body),
        ]
    body = [
        [
            f"{r['corpus']}, {r['preset']}",
            percent(r["leading"]["ranked"]),
            percent(r["leading"]["by mentions"]),
        ]
        for r in measured
    ]
    count = measured[0]["leading"]["count"]
    parts += [
        f"Share of the first {count} events that are main events of a sub-topic or incident, ranked by importance and "
        "by number of mentions:",
        table(["", "importance", "mentions"], body),
    ]
    return "\n\n".join(parts)
