"""The steps from text to events, shown for one pair of mentions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tools.pictures.svg import Sheet, width_of

from samevent.clusterers.base import Clustered, Evidence
from samevent.corpus import Corpus, Mention
from samevent.hddcrp import Problem
from samevent.hddcrp.weights import collapsed
from samevent.results.result import sentence_of
from samevent.similarity.explanation import Explanation

_WIDTH, _LEFT, _BAR = 800, 222, 150
_KINDS = {"action": "ink1 strong", "participant": "ink0", "time": "ink3", "location": "ink2"}
_NAMES = {"action": "event", "participant": "participant", "time": "time", "location": "location"}
_SHOWN = 5
"""Number of reasons to name."""


def steps(
    corpus: Corpus,
    evidence: Evidence,
    problem: Problem,
    clustered: Clustered,
    why: Explanation,
    *,
    least: float,
) -> str:
    """Draw each step for the pair that `why` explains."""
    sheet = Sheet(
        "From text to events, for one pair of mentions",
        "Mentions and arguments are extracted, the pair is compared, each mention gets one link, "
        "and links form events with probabilities.",
    )
    mentions = {mention.id: mention for mention in corpus.mentions("action")}
    pair = mentions[why.first], mentions[why.second]
    y = _draw_mentions(sheet, corpus, pair, 44)
    y = _draw_reasons(sheet, why, y, least)
    y = _draw_links(sheet, mentions, evidence, problem, pair[1], y)
    y = _draw_event(sheet, mentions, clustered, pair[1], y)
    return sheet.written(_WIDTH, y)


def _heading(sheet: Sheet, number: int, y: float, name: str, *lines: str) -> None:
    if number > 1:
        sheet.draw("line", x1=24, x2=_WIDTH - 24, y1=y - 26, y2=y - 26, class_="rule")
    sheet.draw("circle", cx=36, cy=y - 5, r=12, class_="fill0 hue0")
    sheet.text(36, y - 0.5, str(number), "small", "strong", "middle", "ink0")
    sheet.text(58, y, name, "strong")
    for line, words in enumerate(lines):
        sheet.text(58, y + 20 + 16 * line, words, "small", "quiet")


def _draw_mentions(sheet: Sheet, corpus: Corpus, pair: Sequence[Mention], y: float) -> float:
    """Draw the sentences of both mentions with their arguments; return the y of the next step."""
    _heading(sheet, 1, y, "Find", "events, participants,", "times and locations")
    for mention in pair:
        document = corpus[mention.document]
        sheet.text(_LEFT, y, f"{document.extra['outlet']}, {document.date}", "small", "quiet")
        for line in _marked(corpus, mention):
            y += 21
            sheet.spans(_LEFT, y, line)
        y += 27
    x = float(_LEFT)
    for kind, name in _NAMES.items():
        sheet.text(x, y, name, "small", *_KINDS[kind].split())
        x += 1.12 * width_of(name, 11) + 18
    return y + 56


def _marked(corpus: Corpus, mention: Mention) -> list[list[tuple[str, str]]]:
    """Return the lines of a mention's sentence as words with their classes."""
    document = corpus[mention.document]
    chosen = {argument.mention for argument in mention.arguments} | {mention.id}
    kinds = {
        position: _KINDS[other.kind]
        for other in sorted(document.mentions, key=lambda m: m.id == mention.id)
        if other.id in chosen
        for position in range(other.char_start, other.char_end)
    }
    start, end = sentence_of(document, mention)
    lines: list[list[tuple[str, str]]] = [[]]
    used, at = 0.0, start
    for word in document.text[start:end].split(" "):
        if used + width_of(word) > _WIDTH - _LEFT - 40:
            lines.append([])
            used = 0
        for offset, letter in enumerate(f"{word} "):
            lines[-1].append((letter, kinds.get(at + offset, "")))
        at += len(word) + 1
        used += width_of(f"{word} ")
    return [_joined(line) for line in lines]


def _joined(letters: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    for letter, named in letters:
        if parts and parts[-1][1] == named:
            parts[-1] = parts[-1][0] + letter, named
        else:
            parts.append((letter, named))
    return parts


def _draw_reasons(sheet: Sheet, why: Explanation, y: float, least: float) -> float:
    """Draw the contribution of each feature."""
    _heading(sheet, 2, y, "Compare", "a logistic model scores", "the pair (Eq. 6)")
    named = [(reason.about, reason.added) for reason in why.contributions[:_SHOWN]]
    rest = sum(reason.added for reason in why.contributions[_SHOWN:])
    named += [("all other features", rest), ("intercept", why.intercept)]
    most, least_ = max(0.0, *(added for _, added in named)), min(0.0, *(added for _, added in named))
    scale = (_BAR + 30) / (most - least_)
    zero = _WIDTH - 80 - most * scale
    y -= 4
    for about, added in named:
        sheet.text(_LEFT, y + 4, about, "small")
        wide = max(1.0, abs(added) * scale)
        sheet.box(zero - wide * (added < 0), y - 6, wide, 12, "bar0" if added > 0 else "bar4", round_=2)
        sheet.text(_WIDTH - 24, y + 4, f"{added:+.2f}", "small", "end")
        y += 20
    sheet.text(_LEFT, y + 12, f"similarity f = {why.probability:.2f}", "strong")
    sheet.text(_LEFT + 150, y + 12, f"at least {least:g}, so a link is possible", "small", "quiet")
    return y + 66


def _draw_links(
    sheet: Sheet,
    mentions: dict[str, Mention],
    evidence: Evidence,
    problem: Problem,
    mention: Mention,
    y: float,
) -> float:
    """Draw the prior distribution of a mention's link."""
    _heading(
        sheet,
        3,
        y,
        "Link",
        "every mention has one link;",
        "this is its prior",
        "(Eq. 2 and 3 combined)",
    )
    rows, row = collapsed(problem), evidence.table.ids.index(mention.id)
    entries = range(int(rows.starts[row]), int(rows.starts[row + 1]))
    sheet.text(_LEFT, y, f"{mention.text} ({mention.document}) links to", "small", "quiet")
    for entry in sorted(entries, key=lambda e: -float(rows.values[e])):
        target, chance = int(rows.columns[entry]), float(rows.values[entry])
        other = mentions[evidence.table.ids[target]]
        within = "the same document" if other.document == mention.document else other.document
        words = "nothing: it starts an event" if target == row else f"{other.text} ({within})"
        y += 22
        sheet.text(_LEFT, y + 4, words, "small")
        sheet.box(_WIDTH - 80 - _BAR, y - 6, max(1.0, _BAR * chance), 12, "bar0", round_=2)
        sheet.text(_WIDTH - 24, y + 4, _figure(chance), "small", "end")
    return y + 56


def _figure(chance: float) -> str:
    return f"{chance:.3f}" if chance >= 0.0005 else "< 0.001"


def _draw_event(
    sheet: Sheet, mentions: dict[str, Mention], clustered: Clustered, mention: Mention, y: float
) -> float:
    """Draw the event of the mention, with P(same event)."""
    _heading(
        sheet, 4, y, "Repeat", "each link is resampled given", "all others and the words", "(Eq. 4 and 5)"
    )
    row = clustered.ids.index(mention.id)
    others = [
        clustered.ids[k]
        for k in np.flatnonzero(clustered.labels == clustered.labels[row]).tolist()
        if k != row
    ]
    sheet.text(_LEFT, y, f"P(same event) with {mention.text} ({mention.document})", "small", "quiet")
    for other in others:
        y += 22
        chance = clustered.probability(mention.id, other)
        sheet.text(_LEFT, y + 4, f"{mentions[other].text} ({mentions[other].document})", "small")
        sheet.box(_WIDTH - 80 - _BAR, y - 6, _BAR * chance, 12, "bar2", round_=2)
        sheet.text(_WIDTH - 24, y + 4, _figure(chance), "small", "end")
    return y + 40
