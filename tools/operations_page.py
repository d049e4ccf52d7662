"""Write the measured tables of docs/operations.md from update.json, reading.jsonl and memory.jsonl in docs/results.

python -m benchmarks.update --json > docs/results/update.json
python benchmarks/reading.py --json > docs/results/reading.jsonl
python -m benchmarks.memory --json > docs/results/memory.jsonl
python -m tools.operations_page
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "operations.md"
MEASURED = ROOT / "docs" / "results" / "update.json"
READING = ROOT / "docs" / "results" / "reading.jsonl"
MEMORY = ROOT / "docs" / "results" / "memory.jsonl"
_BETWEEN = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end -->)", re.DOTALL)
_READING_BETWEEN = re.compile(r"(?<=<!-- reading -->\n).*?(?=<!-- end of reading -->)", re.DOTALL)
_MEMORY_BETWEEN = re.compile(r"(?<=<!-- memory -->\n).*?(?=<!-- end of memory -->)", re.DOTALL)


def tables(data: dict[str, Any]) -> str:
    """Return the tables: an update against a full run, and CPU seconds and bytes per 1,000 documents."""
    thousand = (data["documents"] - data["new_documents"]) / 1000
    lines = [
        f"Measured with the preset `{data['preset']}`: {data['new_documents']:,} documents added to "
        f"{data['documents'] - data['new_documents']:,} ({data['words']:,} words, {data['mentions']:,} mentions); "
        f"{data['touched']:,} mentions were touched. CPU seconds of one process.",
        "",
        "| | full run | update | ratio |",
        "|---|--:|--:|--:|",
    ]
    for name, words in (("uncached", "without cached parses"), ("cached", "with cached parses")):
        full, update = data[f"full_{name}"]["seconds"], data[f"update_{name}"]["seconds"]
        lines.append(f"| {words} | {full:.1f} | {update:.2f} | {data[f'ratio_{name}']:.1f} |")
    lines += ["", "| stage of a full run | CPU seconds per 1,000 documents |", "|---|--:|"]
    for stage, seconds in data["full_uncached"]["stages"].items():
        lines.append(f"| {stage} | {seconds / thousand:.1f} |")
    lines += ["", "| file | megabytes per 1,000 documents |", "|---|--:|"]
    for name, size in sorted(data["bytes"].items()):
        lines.append(f"| `{name}` | {size / thousand / 1e6:.2f} |")
    return "\n".join(lines) + "\n"


def reading_table(rows: list[dict[str, Any]]) -> str:
    """Return memory and time of reading documents, as a stream and all at once."""
    lines = ["| documents | words | documents are | peak memory | CPU seconds |", "|--:|--:|---|--:|--:|"]
    lines += [
        f"| {row['documents']:,} | {row['words']:,} | {row['way']} | {row['peak_mb']:.0f} MB | {row['cpu_s']:.1f} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def memory_table(rows: list[dict[str, Any]]) -> str:
    """Return the peak of memory of runs with and without a limit, by stage."""
    stages = list(rows[0]["stages"])
    heads = ["mentions", "`--memory`", "peak MB", "CPU seconds", *stages]
    lines = [f"| {' | '.join(heads)} |", f"|{'--:|' * len(heads)}"]
    for row in rows:
        limit = f"{row['limit_mb']:,} MB" if row["limit_mb"] else "none"
        cells = [f"{row['mentions']:,}", limit, f"{row['peak_mb']:,}", f"{row['cpu_s']:.0f}"]
        held = [f"{row['stages'][stage]:,}" for stage in stages]
        lines.append(f"| {' | '.join(cells + held)} |")
    return "\n".join(lines) + "\n"


def written(
    page: str, data: dict[str, Any], reading: list[dict[str, Any]], memory: list[dict[str, Any]]
) -> str:
    """Return the page with its tables."""
    page = _READING_BETWEEN.sub(lambda _: reading_table(reading), page)
    page = _MEMORY_BETWEEN.sub(lambda _: memory_table(memory), page)
    return _BETWEEN.sub(lambda _: tables(data), page)


def stored() -> tuple[dict[str, Any], list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the stored measurements of updates, of reading and of memory."""
    reading, memory = (
        [json.loads(row) for row in file.read_text("utf-8").splitlines()] for file in (READING, MEMORY)
    )
    return json.loads(MEASURED.read_text("utf-8")), reading, memory


def main() -> None:
    """Write the page."""
    PAGE.write_text(written(PAGE.read_text("utf-8"), *stored()), "utf-8")


if __name__ == "__main__":
    main()
