"""The independent components of the candidate links, each with its own posterior."""

from __future__ import annotations

from collections import Counter
from math import ceil, isinf, log10

from tools.pictures.svg import Sheet, width_of

from samevent.clusterers.base import Clustered
from samevent.corpus import Corpus
from samevent.hddcrp import ComponentPosterior

_WIDTH, _MARGIN, _DOT, _ROWS, _COLUMNS = 800, 18, 13, 3, 50
_NAMED = 3
"""Components of at least this size are labelled with their most frequent word."""


def components(corpus: Corpus, clustered: Clustered, posterior: ComponentPosterior) -> str:
    """Draw every component with its mentions as dots, the largest first."""
    sheet = Sheet(
        "Independent components of the candidate links",
        "Each box is a connected component of the candidate links, each dot a mention. Small components are "
        "solved exactly, large ones are sampled.",
    )
    words = {mention.id: mention.text.lower() for mention in corpus.mentions("action")}
    table = posterior.components
    members: list[list[str]] = [[] for _ in range(len(table))]
    for name, component in zip(clustered.ids, posterior.component.tolist(), strict=True):
        members[component].append(words[name])
    several = [number for number in range(len(table)) if table.size[number] > 1]
    x, y, tallest = float(_MARGIN), 64.0, 0.0
    for number in sorted(several, key=lambda n: (-int(table.size[n]), n)):
        size, hue = int(table.size[number]), 2 if table.exact[number] else 1
        name = Counter(members[number]).most_common(1)[0][0] if size >= _NAMED else ""
        rows = max(_ROWS, ceil(size / _COLUMNS)) if name else 1
        wide = max(_DOT * ceil(size / rows) + 12, width_of(name, 9) + 12)
        height = _DOT * rows + (34 if name else 10)
        if x + wide > _WIDTH - _MARGIN or height < tallest / 2:
            x, y, tallest = float(_MARGIN), y + tallest + 6, 0.0
        tallest = max(tallest, height)
        sheet.box(
            x, y, wide, height, f"fill{hue}", f"hue{hue}", data_size=str(size), data_exact=str(hue == 2)
        )
        for dot in range(size):
            column, row = divmod(dot, rows)
            at = x + 6 + _DOT * (column + 0.5), y + 5 + _DOT * (row + 0.5)
            sheet.draw("circle", cx=at[0], cy=at[1], r=4, class_=f"ink{hue}")
        if name:
            sheet.text(x + 6, y + height - 17, name, "tiny", f"ink{hue}")
            sheet.text(x + 6, y + height - 6, _states(float(table.configurations[number])), "tiny", "quiet")
        x += wide + 6
    _draw_legend(sheet, table.size.tolist(), int(table.exact[several].sum()), len(several), y + tallest)
    return sheet.written(_WIDTH, y + tallest + 48)


def _states(count: float) -> str:
    """Format a number of states, as a power of ten if it is large.

    >>> _states(27), _states(3e12), _states(float("inf"))
    ('27', '10¹²', '> 10³⁰⁸')
    """
    if isinf(count):
        return "> 10³⁰⁸"
    if count < 1e5:
        return f"{count:,.0f}"
    return "10" + f"{log10(count):.0f}".translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _draw_legend(sheet: Sheet, sizes: list[int], exact: int, several: int, y: float) -> None:
    mentions, alone = sum(sizes), sum(size == 1 for size in sizes)
    sheet.text(_MARGIN, 30, f"{mentions} mentions, {several} components of two or more", "strong")
    sheet.text(
        _MARGIN,
        49,
        f"A dot is a mention, a box is a component. {alone} mentions without candidate links are not shown.",
        "small",
        "quiet",
    )
    x = float(_MARGIN)
    for hue, words in ((2, f"{exact} solved exactly"), (1, f"{several - exact} sampled")):
        sheet.draw("circle", cx=x + 5, cy=y + 24, r=5, class_=f"ink{hue}")
        sheet.text(x + 17, y + 28, words, "small")
        x += 17 + width_of(words, 11) + 24
    sheet.text(x, y + 28, "small figures: number of states of the links", "small", "quiet")
