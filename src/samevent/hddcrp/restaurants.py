"""The seats of a Chinese restaurant franchise, compiled: who sits where, which tables of a document are in use."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samevent.hddcrp.kernels import kernel
from samevent.hddcrp.menu import NONE
from samevent.hddcrp.problem import Floats, Integers


class Tables(NamedTuple):
    """The table of each customer; the cluster, size and list of customers of each table.

    Tables are numbered like customers: there is room for one each.
    """

    table: Integers
    cluster: Integers
    size: Integers
    first: Integers
    next: Integers
    previous: Integers


class Restaurants(NamedTuple):
    """The document of each customer; the tables of each document: from `begin` to `end` those in use, then free."""

    document: Integers
    tables: Integers
    position: Integers
    """Where each table stands in `tables`."""
    begin: Integers
    end: Integers
    option_weights: Floats
    """Scratch space: the weights of the tables in use while a customer draws one."""


def new_tables(count: int) -> Tables:
    """Return tables without customers."""
    table, cluster, first, after, before = (np.full(count, NONE, np.int32) for _ in range(5))
    return Tables(table, cluster, np.zeros(count, np.int32), first, after, before)


def new_restaurants(document: NDArray[np.int32]) -> Restaurants:
    """Return restaurants without a table in use, with as many free tables as customers."""
    count = len(document)
    sizes = np.bincount(document, minlength=1)
    begin = (np.cumsum(sizes) - sizes).astype(np.int32)
    tables = np.argsort(document, kind="stable").astype(np.int32)
    position = np.empty(count, np.int32)
    position[tables] = np.arange(count)
    return Restaurants(document, tables, position, begin, end=begin.copy(), option_weights=np.zeros(count))


@kernel
def sit_down(tables, i, t):  # type: ignore[no-untyped-def]
    """Seat customer `i` at table `t`, as the first of its list."""
    first = tables.first[t]
    tables.table[i] = t
    tables.next[i], tables.previous[i] = first, NONE
    if first != NONE:
        tables.previous[first] = i
    tables.first[t] = i
    tables.size[t] += 1


@kernel
def stand_up(restaurants, tables, i):  # type: ignore[no-untyped-def]
    """Remove customer `i` from its table; return whether that is now empty, and free."""
    t = tables.table[i]
    after, before = tables.next[i], tables.previous[i]
    if before == NONE:
        tables.first[t] = after
    else:
        tables.next[before] = after
    if after != NONE:
        tables.previous[after] = before
    tables.size[t] -= 1
    if tables.size[t] > 0:
        return False
    d = restaurants.document[i]
    restaurants.end[d] -= 1
    _swap(restaurants, t, restaurants.end[d])
    return True


@kernel
def take_table(restaurants, d):  # type: ignore[no-untyped-def]
    """Return a free table of document `d`, now in use: one that stood up leaves at least one."""
    t = restaurants.tables[restaurants.end[d]]
    restaurants.end[d] += 1
    return t


@kernel
def take_back(restaurants, t, d):  # type: ignore[no-untyped-def]
    """Put a certain free table of document `d` into use again."""
    _swap(restaurants, t, restaurants.end[d])
    restaurants.end[d] += 1


@kernel
def _swap(restaurants, t, place):  # type: ignore[no-untyped-def]
    """Put table `t` at a place of its document, and the one there at the place of `t`."""
    tables, position = restaurants.tables, restaurants.position
    p, other = position[t], tables[place]
    tables[p], tables[place] = other, t
    position[other], position[t] = p, place
