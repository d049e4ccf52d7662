"""What surrounds the content of a page: its head, style and script, and the policy that lets in nothing else."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib import resources
from typing import Any

from samevent.report.markup import Child, data_block, html, together

_EARLY = 'try{new DecompressionStream("deflate-raw");document.documentElement.classList.add("js")}catch{}'
"""Runs before anything is drawn, so that what the script folds away is never seen to jump.

A browser that cannot unpack the data shows the page as one without scripts does.
"""

_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
    "%3Ccircle cx='5' cy='8' r='4' fill='%233b6fd9'/%3E"
    "%3Ccircle cx='11' cy='8' r='4' fill='%23d9813b' fill-opacity='.8'/%3E%3C/svg%3E"
)


def whole_page(title: str, body: Child, data: Any) -> str:
    """Return a page of HTML that needs nothing but itself."""
    style, script = (
        resources.files(__package__).joinpath(name).read_text("utf-8") for name in ("page.css", "page.js")
    )
    # Of what stands here outside `html`, nothing comes from a result.
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f'{html("title", title)}<link rel="icon" href="{_ICON}">'
        f"<style>{style}</style><script>{_EARLY}</script></head>"
        f"<body>{together(body)}{data_block('data', data)}<script>{script}</script></body></html>\n"
    )


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(_EARLY)} {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
