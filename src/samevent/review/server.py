"""The pages of a run under review, over HTTP, for the browser of one person on this machine.

The server listens on 127.0.0.1 only, and answers under a path that nobody can guess. It refuses whatever another site
could make a browser send: other names of the host (DNS rebinding), other origins, wrong content types.
"""

from __future__ import annotations

import json
import secrets
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, unquote

from samevent.errors import SameventError
from samevent.review.session import Session

HOST = "127.0.0.1"
LARGEST_BODY = 8_000_000
"""Bytes of a decision, which may name thousands of mentions."""
DECISIONS = "decisions"
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class ReviewServer(ThreadingHTTPServer):
    """Serves a session; its `address` has a random token, and by default a random port."""

    daemon_threads = True

    def __init__(self, session: Session, *, port: int = 0) -> None:
        self.session = session
        self.token = secrets.token_urlsafe(24)
        self.pages = {name: page.encode() for name, page in session.pages().items()}
        super().__init__((HOST, port), _Handler)

    @property
    def origin(self) -> str:
        """The only origin that may post decisions."""
        return f"http://{HOST}:{self.server_port}"

    @property
    def address(self) -> str:
        """Where the report is."""
        return f"{self.origin}/{self.token}/{quote(next(reversed(self.pages)))}"


class RefusedError(Exception):
    """A request that gets an error and nothing else."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: ReviewServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "samevent", ""
    timeout = 60  # a client that says nothing for so long is gone

    def do_GET(self) -> None:
        """Send a page, or all decisions."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Take a decision."""
        self._answer(self._post)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: the terminal belongs to the user."""

    def _answer(self, method: Any) -> None:
        try:
            self._check_sender()
            method(self._name())
        except RefusedError as refused:
            self.close_connection = True  # whatever else it sent is not read
            self._send(refused.status, {"error": str(refused)})
        except SameventError as error:
            self._send(HTTPStatus.CONFLICT, {"error": str(error)})
        except (ConnectionError, TimeoutError):
            self.close_connection = True
        except OSError as error:  # a full disk, say
            why = f"the decision could not be written ({error.strerror or error})"
            self._send(HTTPStatus.INSUFFICIENT_STORAGE, {"error": why})

    def _check_sender(self) -> None:
        """Refuse what another site could have made a browser send."""
        if self.headers.get_all("Host") != [f"{HOST}:{self.server.server_port}"]:
            raise RefusedError(HTTPStatus.MISDIRECTED_REQUEST, "this is not the address of the review")
        origin = self.headers.get("Origin")
        if origin is not None and origin != self.server.origin:
            raise RefusedError(HTTPStatus.FORBIDDEN, "requests from other sites are refused")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
            raise RefusedError(HTTPStatus.FORBIDDEN, "requests from other sites are refused")

    def _name(self) -> str:
        """Return what is asked for, if the token is right."""
        _, token, *rest = (*self.path.partition("?")[0].split("/"), "")[:3]
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is nothing here")
        return unquote("/".join(rest))

    def _get(self, name: str) -> None:
        if name == DECISIONS:
            self._send(HTTPStatus.OK, self.server.session.to_json())
        elif name in self.server.pages:
            self._send(HTTPStatus.OK, self.server.pages[name])
        else:
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is nothing here")

    def _post(self, name: str) -> None:
        if name != DECISIONS:
            raise RefusedError(HTTPStatus.NOT_FOUND, "there is nothing here")
        if self.headers.get("Origin") != self.server.origin:
            raise RefusedError(HTTPStatus.FORBIDDEN, "decisions come from the page of the review")
        if self.headers.get_content_type() != "application/json":
            raise RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a decision is JSON")
        length = self.headers.get("Content-Length", "")
        if self.headers.get("Transfer-Encoding") or not (length.isascii() and length.isdigit()):
            raise RefusedError(HTTPStatus.LENGTH_REQUIRED, "the length of the decision is missing")
        if int(length) > LARGEST_BODY:
            raise RefusedError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a decision has at most {LARGEST_BODY:,} bytes"
            )
        body = self.rfile.read(int(length))
        try:
            data = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, "a decision is JSON") from error
        self._send(HTTPStatus.CREATED, self.server.session.decide(data).to_json())

    def _send(self, status: HTTPStatus, content: bytes | dict[str, Any]) -> None:
        page = isinstance(content, bytes)
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        kind = "text/html; charset=utf-8" if page else "application/json"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
