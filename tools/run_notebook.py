"""Run a notebook without Jupyter and store what its cells show; with --check, only say whether that is up to date.

python tools/run_notebook.py examples/notebook.ipynb [--check]
"""

from __future__ import annotations

import ast
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """Return a notebook with the output of its cells: what they print, and the value of a last expression."""
    names: dict[str, Any] = {"__name__": "__main__"}
    number, cells = 0, []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            outputs = _outputs("".join(cell["source"]), names, number)
            cell = {**cell, "execution_count": number, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), names)
    outputs: list[dict[str, Any]] = []
    if text := printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": text.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value).splitlines(keepends=True)}
        if show := getattr(value, "_repr_html_", None):
            data["text/html"] = str(show()).splitlines(keepends=True)
        outputs.append(
            {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
        )
    return outputs


def main(path: Path, *, check: bool) -> int:
    """Run a notebook; return 1 if a check finds that its output has changed."""
    old = path.read_text("utf-8")
    new = json.dumps(executed(json.loads(old)), indent=1, ensure_ascii=False) + "\n"
    if new != old and not check:
        path.write_text(new, "utf-8")
    if new != old:
        print(f"{path}: {'is out of date, run tools/run_notebook.py' if check else 'updated'}")
    return int(check and new != old)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), check="--check" in sys.argv))
