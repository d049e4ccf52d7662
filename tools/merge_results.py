"""Put rows that were measured again into a stored table of `samevent experiment ecbplus`.

    python -m tools.merge_results docs/results/yang2015.json new.json ...

A system's new rows replace its old ones, with its traces and settings. Both files must be of the same protocol, part,
preset, seed and mentions; whether mentions are the same shows in the rows of LEMMA, which must be in both and equal.
Differences between systems that did not run together are dropped, and notes say which systems ran at another commit.
Old notes on other mentions stay, and those on all mentions until rows of all mentions are new. So do the settings of a
system on mentions where it did not run again, under the name of both.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Json = dict[str, Any]

SAME = ("protocol", "part", "preset", "seed")
LEVEL = ("mentions", "filter", "unit", "singletons")
COUNTS = ("mentions", "filter", "given", "gold", "kept", "exact", "ceiling")
SCORES = ("muc", "bcubed", "ceafe", "lea", "conll", "conll_interval", "clusters")
WITNESS = "lemma"
"""The system whose rows must be equal: it has no settings, and depends on nothing but the mentions."""


def merged(stored: Json, new: Json) -> Json:
    """Return the stored table with the rows of the new one."""
    for name in SAME:
        if stored[name] != new[name]:
            raise ValueError(f"{name}: {stored[name]!r} and {new[name]!r}")
    for about in new["mention_sets"]:
        if _counts(about) not in [_counts(each) for each in stored["mention_sets"]]:
            raise ValueError(f"other mentions: {_counts(about)}")
    old, measured = _by_system(stored), _by_system(new)
    for level, each in measured.items():
        if WITNESS not in each or WITNESS not in old[level] or not _equal(each[WITNESS], old[level][WITNESS]):
            raise ValueError(f"{' '.join(level)}: the rows of {WITNESS} are missing or differ")

    rows: list[Json] = []
    for level, systems in old.items():
        replaced: dict[str, Json] = {
            name: {**row, "commit": new["commit"]}
            for name, row in measured.get(level, {}).items()
            if name != WITNESS
        }
        for name, row in (systems | replaced).items():
            ours = name in replaced
            kept = {
                other: difference
                for other, difference in row["differences"].items()
                if other == WITNESS or (other in replaced) == ours
            }
            rows.append({**row, "differences": kept})
    traces = {mentions: each | new["traces"].get(mentions, {}) for mentions, each in stored["traces"].items()}
    seconds = {(row["mentions"], row["clusterer"]): row["seconds"] for row in rows}
    result = stored | {
        "settings": _settings(stored, new),
        "seconds": round(sum(seconds.values()), 1),
        "rows": rows,
        "traces": traces,
    }
    return result | {"notes": _old_notes(stored, rows) + _notes(result)}


def _settings(stored: Json, new: Json) -> dict[str, str]:
    """Return the settings by system; the old ones by system and mentions where these have no new rows."""
    settings, again = dict(stored["settings"]), {row["mentions"] for row in new["rows"]}
    for row in stored["rows"]:
        name, mentions = row["clusterer"], row["mentions"]
        if mentions not in again and name in new["settings"] and name != WITNESS:
            settings.setdefault(f"{name}, {mentions} mentions", stored["settings"][name])
    outdated = [f"{name}, {mentions} mentions" for name in new["settings"] for mentions in again]
    kept: dict[str, str] = {name: value for name, value in settings.items() if name not in outdated}
    return {**kept, **new["settings"]}


def _old_notes(stored: Json, rows: list[Json]) -> list[str]:
    """Return the stored notes that still hold, by the set of mentions with which they begin."""
    every = {row["mentions"] for row in rows}
    old = every - {row["mentions"] for row in rows if "commit" in row}
    about = {note: note.split(":")[0] for note in stored["notes"]}
    return [note for note, name in about.items() if old and (name in old or name not in every)]


def _counts(about: Json) -> Json:
    return {name: about[name] for name in COUNTS}


def _by_system(table: Json) -> dict[tuple[str, ...], dict[str, Json]]:
    """Return the rows by level and system."""
    levels: dict[tuple[str, ...], dict[str, Json]] = {}
    for row in table["rows"]:
        levels.setdefault(tuple(row[name] for name in LEVEL), {})[row["clusterer"]] = row
    return levels


def _equal(row: Json, other: Json) -> bool:
    return all(row[name] == other[name] for name in SCORES)


def _notes(table: Mapping[str, Any]) -> list[str]:
    """Return a note for each set of mentions, commit and length of runs that is not the table's own."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for row in table["rows"]:
        commit, trace = row.get("commit"), table["traces"][row["mentions"]].get(row["clusterer"])
        if commit is None or trace is None:
            continue
        lengths = f"{len(trace['events'])} x {trace['sweeps'][-1]}"
        names = groups.setdefault((row["mentions"], commit[:7], lengths), [])
        if row["clusterer"] not in names:
            names.append(row["clusterer"])
    return [
        f"{mentions}: {', '.join(names)} ran {lengths} sweeps at commit {commit}; their differences from systems of "
        "the other commit have no interval, except from lemma"
        for (mentions, commit, lengths), names in groups.items()
    ]


def main() -> None:
    """Merge files into the first one."""
    target, *others = map(Path, sys.argv[1:])
    table = json.loads(target.read_text("utf-8"))
    for other in others:
        table = merged(table, json.loads(other.read_text("utf-8")))
    target.write_text(json.dumps(table, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
