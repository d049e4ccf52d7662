"""Which claims of the paper's Table 3 hold, under which reading of the paper, on identical mentions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tools.results_page.markdown import between, change, points, table

from samevent.experiments.paper import paper_figures

Json = Mapping[str, Any]
Rows = Mapping[tuple[str, ...], Json]
Where = tuple[str, str, str, str]
"""Preset, mentions, filter and unit."""


class Found(NamedTuple):
    """A difference with its interval, and whether it is what the paper says; empty without an interval."""

    difference: str
    verdict: str


OTHERS = ("ddcrp", "agglomerative", "hdp-lex", "lemma")
CLAIMS = (
    ("hddcrp", "hddcrp-star"),
    ("hddcrp", "ddcrp"),
    ("hddcrp", "agglomerative"),
    ("hddcrp", "hdp-lex"),
    ("hddcrp", "lemma"),
    ("hddcrp-star", "ddcrp"),
    ("hddcrp-star", "agglomerative"),
    ("hddcrp-star", "hdp-lex"),
    ("hddcrp-star", "lemma"),
    ("hdp-lex", "lemma"),
    ("agglomerative", "hdp-lex"),
)
"""Pairs of systems of which the paper says something; the first is the better one unless its figures say otherwise."""
SUMMARY = {
    "HDDCRP > HDDCRP*": (("hddcrp", "hddcrp-star"),),
    "HDDCRP > the other four": tuple(("hddcrp", other) for other in OTHERS),
    "HDDCRP* > the other four": tuple(("hddcrp-star", other) for other in OTHERS),
    "HDP-LEX > LEMMA": (("hdp-lex", "lemma"),),
}
"""What the paper says of them in a sentence."""
WITHOUT_PAIRS = ("hdp-lex",)
"""Systems that are the same in every reading, as these differ in pairs only."""
UNKNOWN = "not measured"
VERDICTS = ("holds", "open", "fails", UNKNOWN)
READINGS = {"paper": "as printed (`paper`)", "paper-code": "as programmed (`paper-code`)"}
UNITS = {"document": "WD", "subtopic": "CD"}
SETS = {("gold", "none"): "Gold mentions", ("predicted", "head"): "Extracted mentions, filter head"}


def claims(results: Sequence[Json]) -> str:
    """Return the section, or nothing if no reading of the paper was measured."""
    rows: Rows = {
        (row["preset"], row["mentions"], row["filter"], row["unit"], row["clusterer"]): row
        for result in results
        if result["protocol"] == "yang2015"
        for row in result["rows"]
        if row["preset"] in READINGS
    }
    summary, parts = [], []
    for (mentions, filter), title in SETS.items():
        for unit, name in UNITS.items():
            known = [p for p in READINGS if (p, mentions, filter, unit, "hddcrp") in rows]
            found = {
                preset: {claim: _found(rows, (preset, mentions, filter, unit), *claim) for claim in CLAIMS}
                for preset in known
            }
            body = [
                [
                    f"`{first}` – `{second}`",
                    points(_of_paper(unit, first) - _of_paper(unit, second)),
                    *(_cell(found[preset][first, second]) for preset in known),
                ]
                for first, second in CLAIMS
            ]
            if known:
                heads = ["", "paper", *(READINGS[preset] for preset in known)]
                parts += [f"**{title}, {name}**", table(heads, body)]
            summary += [
                [
                    f"{title}, {name}, `{preset}`",
                    *(_summed(found[preset], claim) for claim in SUMMARY.values()),
                ]
                for preset in known
            ]
    if not parts:
        return ""
    about = (
        "Differences in CoNLL F1. A claim *holds* if the 95 % interval of our difference lies on the paper's side of "
        "0, and *fails* if it lies on the other; otherwise it is *open*. Both systems of a row got the same mentions; "
        "in the preset `paper-code` the extracted ones include every verb. Where two systems did not run together, "
        "which ~ marks, the interval is the sum of their intervals against LEMMA: it is wider than a paired one. "
        "HDP-LEX uses no pairs, so on equal mentions both readings share its row."
    )
    overview = table(["", *SUMMARY], summary)
    return "\n\n".join(["## Which claims of the paper's Table 3 hold", about, overview, *parts])


def _of_paper(unit: str, system: str) -> float:
    figures: Any = paper_figures(unit, system)
    return float(figures["conll"])


def _found(rows: Rows, where: Where, first: str, second: str) -> Found | None:
    """Return our difference, and whether the claim holds; None if a system was not measured."""
    pair = [_row(rows, where, name) for name in (first, second)]
    if pair[0] is None or pair[1] is None:
        return None
    difference, paired = pair[0]["differences"].get(second), True
    if difference is None and (reverse := pair[1]["differences"].get(first)):
        low, high = reverse["interval"]["low"], reverse["interval"]["high"]
        difference = {"conll": -reverse["conll"], "interval": {"low": -high, "high": -low}}
    if difference is None:
        difference, paired = _through_lemma(pair[0], pair[1]), False
    if difference is None:
        return Found(points(pair[0]["conll"] - pair[1]["conll"]), "")
    side = 1 if _of_paper(where[3], first) >= _of_paper(where[3], second) else -1
    low, high = sorted(side * difference["interval"][end] for end in ("low", "high"))
    verdict = "holds" if low > 0 else "fails" if high < 0 else "open"
    return Found(f"{'' if paired else '~'}{change(difference)}", verdict)


def _row(rows: Rows, where: Where, system: str) -> Json | None:
    """Return the row of a system; that of another reading if it looks at no pairs and got the same mentions."""
    preset, *level = where
    if system not in WITHOUT_PAIRS or (preset, *level, system) in rows:
        return rows.get((preset, *level, system))
    for other in READINGS:
        lemmas = [rows.get((name, *level, "lemma")) for name in (preset, other)]
        if lemmas[0] and lemmas[1] and lemmas[0]["conll"] == lemmas[1]["conll"]:
            return rows.get((other, *level, system))
    return None


def _through_lemma(first: Json, second: Json) -> Json | None:
    """Return a difference from those of both systems from LEMMA, with an interval at least as wide as a paired one."""
    ours, theirs = (row["differences"].get("lemma") for row in (first, second))
    if ours is None or theirs is None:
        return None
    return {
        "conll": ours["conll"] - theirs["conll"],
        "interval": {
            "low": ours["interval"]["low"] - theirs["interval"]["high"],
            "high": ours["interval"]["high"] - theirs["interval"]["low"],
        },
    }


def _cell(found: Found | None) -> str:
    return " ".join(part for part in found if part) if found else ""


def _summed(found: Mapping[tuple[str, str], Found | None], pairs: Sequence[tuple[str, str]]) -> str:
    """Return what holds of several claims: *holds* if all do, otherwise which do not."""
    verdicts: dict[str, list[str]] = {verdict: [] for verdict in VERDICTS}
    for pair in pairs:
        claim = found[pair]
        verdicts[claim.verdict if claim and claim.verdict else UNKNOWN].append(pair[1])
    given = {verdict: names for verdict, names in verdicts.items() if names}
    if len(given) == 1:
        return next(iter(given))
    return "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in given.items())


def rules(result: Json) -> str:
    """Return the tables of the rules of the authors' program, one by one."""
    parts = [
        "## The rules of the authors' program",
        "HDDCRP with one rule more than the preset `paper`, or one less than `paper-code`, on identical mentions "
        f"({result['part']} topics of `{result['protocol']}`); intervals are those of the difference. Only the rule "
        "that every verb is an event adds mentions.",
    ]
    for mentions, filter in dict.fromkeys((row["mentions"], row["filter"]) for row in result["rules"]):
        own = [row for row in result["rules"] if row["mentions"] == mentions]
        by_key = {(row["variant"], row["unit"]): row for row in own}
        body = []
        for name, base in dict.fromkeys((row["variant"], row["base"]) for row in own):
            cells = [f"`{name}`" if name in READINGS else name]
            for unit in UNITS:
                row = by_key[name, unit]
                cells += [
                    f"{100 * row['conll']:.1f}",
                    change(row["difference"]) if name != base else between(row["conll_interval"]),
                ]
            body.append([*cells, f"`{base}`" if name != base else ""])
        parts += [
            f"**{SETS[mentions, filter]}**",
            table(["", "WD", "– base", "CD", "– base", "base"], body),
        ]
    return "\n\n".join(parts)


_SAME_WORD = ["announced (lineup)", "announced (storm)"]
"""The event that equal words make of two in the discussion's example."""


def discussion(figures: Json) -> str:
    """Return the example of the paper's discussion, and what each system makes of it."""
    texts = [f"- *{name}*: {text}" for name, text in figures["texts"].items()]
    body = [
        [
            f"`{each['clusterer']}`, preset `{each['preset']}`",
            "yes" if each["joined"] else "no",
            "; ".join(" = ".join(event) for event in each["events"]),
        ]
        for each in figures["systems"]
    ]
    about = (
        "The paper says that AGGLOMERATIVE and HDP-LEX do not connect *unveiled* and *announced* in two sentences "
        "about the same MacBook Pro. These are the sentences in small documents of our own, and the events that each "
        "system makes of the same extracted mentions with the shipped model:"
    )
    heads = ["", "joined", "events of several mentions"]
    parts = ["## The example of the paper's discussion", about, "\n".join(texts), table(heads, body)]
    wrong = [each for each in figures["systems"] if not each["joined"] and _SAME_WORD in each["events"]]
    if wrong:
        names = ", ".join(f"`{each['clusterer']}` (`{each['preset']}`)" for each in wrong)
        parts.append(
            f"Two errors at once, of {names}: the two *announced* are joined because the words are equal, although the "
            "police announced something else; *unveiled* stays alone because the words differ."
        )
    return "\n\n".join(parts)
