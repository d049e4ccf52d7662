"""The package fetches nothing unless told to install, and evaluates nothing: checked in its source, and offline."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import samevent
from parses import needs_model

SOURCE = Path(samevent.__file__).parent
NETWORK = {
    "aiohttp",
    "ftplib",
    "http",
    "httpx",
    "requests",
    "smtplib",
    "socket",
    "socketserver",
    "telnetlib",
    "urllib3",
}
CODE = {"cloudpickle", "code", "dill", "joblib", "marshal", "pickle", "runpy", "shelve", "subprocess"}
PIP = "language/encoder/download.py: subprocess"
"""`samevent models install` starts pip; nothing else starts a program."""
SERVER = ["review/server.py: http.HTTPStatus", "review/server.py: http.server.BaseHTTPRequestHandler",
          "review/server.py: http.server.ThreadingHTTPServer"]  # fmt: skip
"""`samevent review` answers on 127.0.0.1; it asks nobody."""
FORBIDDEN = NETWORK | CODE | {"urllib.request", "xmlrpc"}

WITHOUT_NETWORK = """
import socket, sys

def refused(*_, **__):
    print("the network was asked for", file=sys.stderr)
    raise OSError("there is no network here")

for name in ("connect", "connect_ex", "sendto"):
    setattr(socket.socket, name, refused)
socket.getaddrinfo = socket.gethostbyname = socket.create_connection = refused

from samevent.cli.main import main
main()
"""


def broken_rules(tree: ast.AST) -> Iterator[str]:
    """Yield what a module does but must not do."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (alias.name for alias in names if is_forbidden(alias.name))
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{a.name}" for a in names if is_forbidden(f"{module}.{a.name}"))
            case ast.Call(func=ast.Name("eval" | "exec" | "compile" | "__import__" as name)):
                yield name
            case ast.Attribute(ast.Name("os"), "system" | "popen" as name):
                yield f"os.{name}"
            case ast.keyword("allow_pickle" | "shell", value) if not (
                isinstance(value, ast.Constant) and value.value is False
            ):
                yield ast.unparse(node)


def is_forbidden(name: str) -> bool:
    parts = name.split(".")
    return any(".".join(parts[: i + 1]) in FORBIDDEN for i in range(len(parts)))


@pytest.mark.parametrize(
    "line",
    [
        "import urllib.request", "from urllib import request", "from http.client import HTTPSConnection",
        "import socket", "from pickle import loads", "import numpy, marshal", "eval('1')",
        "np.load(f, allow_pickle=True)", "np.load(f, allow_pickle=trusted)", "run(x, shell=True)", "os.system(x)",
    ],
)  # fmt: skip
def test_rules_see_what_breaks_them(line: str) -> None:
    assert list(broken_rules(ast.parse(line)))


def test_no_module_fetches_unpickles_or_evaluates() -> None:
    modules = sorted(SOURCE.rglob("*.py"))
    assert len(modules) > 100
    broken = [
        f"{path.relative_to(SOURCE)}: {rule}"
        for path in modules
        for rule in broken_rules(ast.parse(path.read_text("utf-8")))
    ]
    assert broken == [PIP, *SERVER]


@pytest.mark.slow
@needs_model
def test_the_demonstration_needs_no_network(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_NETWORK, "demo", "-o", str(tmp_path / "out")]
    apart = ["unshare", "-rn"]
    if shutil.which("unshare") and not subprocess.run([*apart, "true"], capture_output=True).returncode:
        command = [*apart, *command]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "the network was asked for" not in ended.stderr
    assert "Main events" in ended.stdout
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "events.csv", "mentions.csv", "probabilities.npz", "report.html", "result.jsonl", "run.json", "state.npz",
        "stories.csv",
    }  # fmt: skip
