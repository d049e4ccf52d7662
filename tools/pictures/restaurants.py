"""A state of the sampler: documents as restaurants, mentions as customers, within-document clusters as tables."""

from __future__ import annotations

from dataclasses import dataclass

from tools.pictures.states import Seating
from tools.pictures.svg import HUES, Curve, Sheet, truncate, width_of

from samevent.corpus import Document

_PANEL, _GAP, _MARGIN = 218, 66, 18
_TOP, _LINE, _PAD, _ROW_GAP, _TABLE_GAP = 104, 27, 7, 14, 8
_INSET = 16.0


@dataclass(frozen=True, slots=True)
class _Spot:
    """The position of a customer: the centre of its dot, the right edge of its table, its column."""

    x: float
    y: float
    right: float
    column: int


Tables = list[list[int]]
Row = dict[int, Tables]
"""The tables of one event by column, each the numbers of its customers."""


def restaurants(seating: Seating, *, caption: str) -> str:
    """Draw a state: one column per document, one row per event with two or more mentions."""
    sheet = Sheet(
        "Documents as restaurants: a state of the sampler",
        "Mentions are customers. Solid arrows are customer links within a document, thick dashed ones table links "
        "across documents; grey dotted ones are inactive table links.",
    )
    documents = sorted(seating.documents, key=lambda document: document.date or "")
    columns = {document.id: number for number, document in enumerate(documents)}
    left = [_MARGIN + number * (_PANEL + _GAP) for number in range(len(documents))]
    rows = _rows(seating, columns)
    heights = [max(map(_height, row.values())) for row in rows]
    alone = [_flowed(words) for words in _alone(seating, columns)]
    end_of_tables = _TOP + sum(heights) + _ROW_GAP * len(rows)
    end = end_of_tables + 30 + 25 * max(map(len, alone))

    for x, document, lines in zip(left, documents, alone, strict=True):
        sheet.box(x, 16, _PANEL, end - 4, "panel", round_=12)
        _draw_head(sheet, document, x + _INSET)
        _draw_alone(sheet, lines, x + _INSET, end_of_tables)
    y = float(_TOP)
    for number, (row, height) in enumerate(zip(rows, heights, strict=True)):
        _draw_row(
            sheet,
            seating,
            [_seated(seating, tables, left[column], y, column) for column, tables in row.items()],
            number % len(HUES),
        )
        y += height + _ROW_GAP
    _draw_legend(sheet, end + 36, caption)
    return sheet.written(left[-1] + _PANEL + _MARGIN, end + 84)


def _rows(seating: Seating, columns: dict[str, int]) -> list[Row]:
    """Return one row per event with two or more mentions: its tables by column, leftmost first."""
    customers = seating.customers
    rows: dict[int, Row] = {}
    for _, seats in sorted(seating.tables().items()):
        row = rows.setdefault(customers[seats[0]].event, {})
        row.setdefault(columns[customers[seats[0]].mention.document], []).append(seats)
    several = [row for row in rows.values() if len(_members(row)) > 1]
    return sorted(several, key=lambda row: (min(row), customers[row[min(row)][0][0]].place))


def _members(row: Row) -> list[int]:
    return [number for tables in row.values() for seats in tables for number in seats]


def _alone(seating: Seating, columns: dict[str, int]) -> list[list[str]]:
    """Return the words of singleton mentions, by column."""
    events = [customer.event for customer in seating.customers]
    words: list[list[str]] = [[] for _ in columns]
    for customer in seating.customers:
        if events.count(customer.event) == 1:
            words[columns[customer.mention.document]].append(customer.mention.text)
    return words


def _height(tables: Tables) -> float:
    return sum(_LINE * len(seats) + 2 * _PAD for seats in tables) + _TABLE_GAP * (len(tables) - 1)


def _flowed(words: list[str]) -> list[list[str]]:
    lines: list[list[str]] = [[]]
    used = 0.0
    for word in words:
        wide = width_of(word, 11) + 19
        if used + wide > _PANEL - 26:
            lines.append([])
            used = 0
        lines[-1].append(word)
        used += wide
    return lines


def _two_lines(title: str) -> list[str]:
    first, rest = "", title.split()
    while rest and 1.12 * width_of(f"{first} {rest[0]}") <= _PANEL - 26:
        first = f"{first} {rest.pop(0)}".strip()
    return [first, truncate(" ".join(rest), _PANEL - 30)] if rest else [first]


def _draw_head(sheet: Sheet, document: Document, x: float) -> None:
    source = f"{document.extra['outlet']}, {document.date}"
    sheet.text(x, 42, truncate(source, _PANEL - 24, 11), "small", "quiet")
    for number, line in enumerate(_two_lines(document.title or document.id)):
        sheet.text(x, 62 + 18 * number, line, "strong")


def _draw_alone(sheet: Sheet, lines: list[list[str]], x: float, y: float) -> None:
    sheet.draw("line", x1=x, x2=x + _PANEL - 2 * _INSET, y1=y - 2, y2=y - 2, class_="rule")
    sheet.text(x, y + 18, "singletons", "small", "quiet")
    for number, words in enumerate(lines):
        at = x
        for word in words:
            wide = width_of(word, 11) + 14
            sheet.box(at, y + 27 + 25 * number, wide, 20, "lone", round_=10, data_alone=word)
            sheet.text(at + 7, y + 41 + 25 * number, word, "small", "quiet")
            at += wide + 5


def _seated(seating: Seating, tables: Tables, x: float, y: float, column: int) -> list[dict[int, _Spot]]:
    """Return the positions of customers at the tables of one document and event."""
    spots = []
    for seats in tables:
        widest = max(width_of(seating.customers[number].mention.text) for number in seats)
        right = x + _INSET + 70 + widest
        spots.append(
            {
                number: _Spot(x + _INSET + 19, y + _PAD + _LINE * (line + 0.5), right, column)
                for line, number in enumerate(seats)
            }
        )
        y += _height([seats]) + _TABLE_GAP
    return spots


def _draw_row(sheet: Sheet, seating: Seating, cells: list[list[dict[int, _Spot]]], hue: int) -> None:
    """Draw one event: links across documents first, so that tables cover them."""
    spots = {number: spot for tables in cells for seats in tables for number, spot in seats.items()}
    for number, spot in spots.items():
        customer = seating.customers[number]
        to = spots.get(customer.table_link)
        if to is None or to is spot:
            continue
        low, high = sorted((spot.column, to.column))
        curve = _across(spot, to, [other for other in spots.values() if low < other.column < high])
        if customer.starts(number):
            _draw_link(sheet, seating, curve, number, customer.table_link, "table", f"hue{hue}", "across")
        else:
            _draw_link(sheet, seating, curve, number, customer.table_link, "inactive", "grey", "inactive")
            sheet.text(spot.x - 24, spot.y + 17, "inactive", "tiny", "quiet", "end")
    for tables in cells:
        for seats in tables:
            _draw_table(sheet, seating, seats, hue)


def _draw_table(sheet: Sheet, seating: Seating, seats: dict[int, _Spot], hue: int) -> None:
    """Draw a table with its customers and their links."""
    first = next(iter(seats.values()))
    left, top = first.x - 19, first.y - _LINE / 2 - _PAD
    sheet.box(left, top, first.right - left, _height([list(seats)]), f"fill{hue}", f"hue{hue}", round_=16)
    for number, spot in seats.items():
        customer = seating.customers[number]
        dot = f"ink{hue}" if customer.starts(number) else f"hollow fill{hue} hue{hue}"
        sheet.draw("circle", cx=spot.x, cy=spot.y, r=5.5, class_=dot, data_customer=customer.mention.id)
        sheet.text(spot.x + 15, spot.y + 4.5, customer.mention.text)
        sheet.text(spot.right - 10, spot.y + 4, str(customer.place), "small", "quiet", "end")
        if not customer.starts(number):
            to = seats[customer.follows]
            bend = spot.x - 15 - 0.12 * (spot.y - to.y)
            curve = (spot.x - 5.5, spot.y - 1), (bend, spot.y - 4), (bend, to.y + 4), (to.x - 6.5, to.y + 1)
            _draw_link(sheet, seating, curve, number, customer.follows, "customer", f"hue{hue}")


def _draw_link(
    sheet: Sheet, seating: Seating, curve: Curve, start: int, end: int, kind: str, *classes: str
) -> None:
    names = [seating.customers[number].mention.id for number in (start, end)]
    sheet.arrow(curve, *classes, data_link=kind, data_from=names[0], data_to=names[1])


def _across(start: _Spot, end: _Spot, between: list[_Spot]) -> Curve:
    """Return a curve to another column: rightward curves bend up, others down, and none crosses a table."""
    right = end.column > start.column
    a = (start.right + 1, start.y - 4) if right else (start.x - 20, start.y + 4)
    b = (end.x - 20, end.y - 4) if right else (end.right + 1, end.y + 4)
    lift = -7.0 if right else 7.0
    if between:
        # Above all tables of the row, near the customers that start tables; the middle of a cubic curve lies at
        # three quarters of the height of its control points.
        top = min(spot.y for spot in between) - (33 if right else 30)
        lift = (top - (a[1] + b[1]) / 2) / 0.75
    elif abs(end.column - start.column) > 1:
        lift *= 2
    third = (b[0] - a[0]) / 3
    return a, (a[0] + third, a[1] + lift), (b[0] - third, b[1] + lift), b


def _draw_legend(sheet: Sheet, y: float, caption: str) -> None:
    def item(x: float, words: str, *classes: str) -> float:
        sheet.arrow(((x, y - 4), (x + 10, y - 4), (x + 20, y - 4), (x + 32, y - 4)), *classes)
        sheet.text(x + 40, y, words, "small")
        return x + 40 + width_of(words, 11) + 22

    x = float(_MARGIN)
    for dot, words in (("ink0", "starts a table"), ("hollow fill0 hue0", "follows another customer")):
        sheet.draw("circle", cx=x + 6, cy=y - 4, r=5.5, class_=dot)
        sheet.text(x + 17, y, words, "small")
        x += 17 + width_of(words, 11) + 20
    x = item(x, "customer link", "hue0")
    x = item(x, "table link", "hue0", "across")
    item(x, "inactive table link", "grey", "inactive")
    sheet.text(
        _MARGIN,
        y + 24,
        f"Colours are events, numbers the order in the text. Self-links are not drawn. {caption}",
        "small",
        "quiet",
    )
