"""Mentions of similar events in context, with P(same event) of every pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tools.pictures.svg import HUES, Sheet, width_of

from samevent.clusterers.base import Clustered
from samevent.corpus import Corpus, Mention

_LINE, _GAP, _MARGIN, _TOP = 20, 6, 18, 50
_CONTEXT = 176
_SIZE = 11.0


def probabilities(corpus: Corpus, clustered: Clustered, gold: Mapping[str, str], *, caption: str) -> str:
    """Draw all mentions of gold events, grouped by system event, and P(same event) of each pair.

    `gold` describes the events, at most four.
    """
    sheet = Sheet(
        "Mentions in context and P(same event) of every pair",
        "Mentions in context on the left, grouped by system event; on the right, the probability that each "
        "pair refers to the same event.",
    )
    label = dict(zip(clustered.ids, clustered.labels.tolist(), strict=True))
    dates = {document.id: document.date or "" for document in corpus}
    mentions = [mention for mention in corpus.mentions("action") if mention.event in gold]
    mentions.sort(key=lambda m: (dates[m.document], m.document, m.start))
    size = Counter(label[mention.id] for mention in mentions)
    order = list(size)
    mentions.sort(key=lambda m: (-size[label[m.id]], order.index(label[m.id])))
    shared = [event for event, count in size.most_common() if count > 1]
    hues = {m.id: shared.index(label[m.id]) % len(HUES) if label[m.id] in shared else None for m in mentions}

    middle = _MARGIN + 104 + _CONTEXT
    left = middle + _CONTEXT + 24
    tops, y = [], float(_TOP)
    for before, mention in zip([mentions[0], *mentions], mentions, strict=False):
        y += _GAP if label[before.id] != label[mention.id] and size[label[before.id]] > 1 else 0
        tops.append(y)
        y += _LINE
    columns = [left + top - _TOP for top in tops]
    for row, (mention, top) in enumerate(zip(mentions, tops, strict=True)):
        hue = hues[mention.id]
        _draw_mention(sheet, corpus, mention, top, middle, hue, list(gold).index(str(mention.event)))
        for other, x in zip(mentions[:row], columns, strict=False):
            together = label[mention.id] == label[other.id]
            _draw_cell(sheet, clustered, (mention.id, other.id), x, top, hue if together else None)
        sheet.text(columns[row] + 4, top + 14, mention.text, "small", "quiet" if hue is None else f"ink{hue}")
    _draw_legend(sheet, list(gold.values()), left, y + 30, caption)
    return sheet.written(columns[-1] + 84, y + 58)


def _draw_mention(
    sheet: Sheet, corpus: Corpus, mention: Mention, top: float, middle: float, hue: int | None, shape: int
) -> None:
    """Draw a mention in its context, with its document and the mark of its gold event."""
    document = corpus[mention.document]
    base = top + 14
    sheet.text(_MARGIN, base, mention.document, "small", "quiet")
    _draw_mark(sheet, _MARGIN + 98, top + 10, shape)
    wide = width_of(mention.text, _SIZE) + 10
    colour = ("lone",) if hue is None else (f"fill{hue}", f"hue{hue}")
    sheet.box(middle - wide / 2, top + 2, wide, _LINE - 4, *colour, round_=5)
    sheet.text(middle, base, mention.text, "small", "middle", data_mention=mention.id)
    before, after = document.text[: mention.char_start].split(), document.text[mention.char_end :].split()
    room = _CONTEXT - wide / 2 - 8
    sheet.text(
        middle - wide / 2 - 5, base, _fitting(before[::-1], room, backwards=True), "small", "quiet", "end"
    )
    sheet.text(middle + wide / 2 + 5, base, _fitting(after, room), "small", "quiet")


def _fitting(words: Sequence[str], room: float, *, backwards: bool = False) -> str:
    """Return as many words of the sentence as fit."""
    kept: list[str] = []
    for word in words:
        if backwards and word[-1] in ".!?":
            break
        if width_of(" ".join([*kept, word]), _SIZE) > room:
            break
        kept.append(word)
        if not backwards and word[-1] in ".!?":
            break
    return " ".join(kept[::-1] if backwards else kept)


def _draw_mark(sheet: Sheet, x: float, y: float, shape: int) -> None:
    """Draw the mark of a gold event: a disc, a ring, a filled or an empty diamond."""
    named = "mark-empty" if shape % 2 else "mark-full"
    if shape < 2:
        sheet.draw("circle", cx=x, cy=y, r=4, class_=named)
    else:
        sheet.draw("path", d=f"M{x:g} {y - 5:g}l5 5l-5 5l-5 -5z", class_=named)


def _draw_cell(
    sheet: Sheet, clustered: Clustered, pair: tuple[str, str], x: float, y: float, hue: int | None
) -> None:
    """Draw one pair; a probability near 0 is a dot."""
    probability = clustered.probability(*pair)
    named = {"data_pair": " ".join(pair), "data_probability": f"{probability:.3f}"}
    if probability < 0.005:
        sheet.draw("circle", cx=x + _LINE / 2, cy=y + _LINE / 2, r=1, class_="dot", **named)
        return
    fill, ink = ("lone", "quiet") if hue is None else (f"fill{hue}", f"ink{hue}")
    sheet.box(x + 1, y + 1, _LINE - 2, _LINE - 2, fill, round_=4, **named)
    words = "1" if probability > 0.995 else f"{probability:.2f}"[1:]
    sheet.text(x + _LINE / 2, y + 13.5, words, "tiny", "middle", ink)


def _draw_legend(sheet: Sheet, names: Sequence[str], left: float, y: float, caption: str) -> None:
    x = float(_MARGIN)
    for shape, name in enumerate(names):
        _draw_mark(sheet, x + 5, y - 4, shape)
        sheet.text(x + 16, y, name, "small")
        x += 16 + width_of(name, _SIZE) + 20
    sheet.text(_MARGIN, y + 20, caption, "small", "quiet")
    sheet.text(_MARGIN, 34, "Mentions in context", "strong")
    sheet.text(left, 34, "P(same event) of every pair", "strong")
