"""The review over real sockets: it serves its own page, takes decisions from it, and refuses everybody else."""

from __future__ import annotations

import errno
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from review.small import finished_run
from samevent.corrections import MarkedMention, append, new_decision, read_corrections
from samevent.errors import FormatError, OutputExistsError
from samevent.review import ReviewServer, Session
from samevent.review.server import LARGEST_BODY
from samevent.runs import open_run


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ReviewServer]:
    with Session(finished_run(tmp_path / "out")) as session, ReviewServer(session) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def mentions(server: ReviewServer, count: int = 2) -> list[dict[str, Any]]:
    found = [MarkedMention.of(m).to_json() for m in server.session.result.corpus.mentions("action")]
    return found[:count]


def send(
    server: ReviewServer, method: str, path: str, body: object = None, **changes: str | None
) -> tuple[int, dict[str, str], bytes]:
    """Send a request as the page does, with other headers if they are given; None leaves one out."""
    headers: dict[str, str | None] = {"Host": f"127.0.0.1:{server.server_port}"}
    data = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else b""
    if method == "POST":
        headers |= {
            "Origin": server.origin,
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
        }
    headers |= {name.replace("_", "-"): value for name, value in changes.items()}
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(data if method == "POST" else None)
        answer = connection.getresponse()
        return answer.status, dict(answer.headers), answer.read()
    finally:
        connection.close()


def decisions(server: ReviewServer) -> str:
    return f"/{server.token}/decisions"


def test_the_page_is_served_with_its_policy(server: ReviewServer) -> None:
    status, headers, body = send(server, "GET", urlsplit(server.address).path)
    assert status == 200
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    policy = re.search(rb'Content-Security-Policy" content="([^"]*)"', body)
    assert policy
    assert b"default-src 'none'; connect-src 'self';" in policy[1]
    assert server.token.encode() not in body


def test_a_decision_is_on_disk_when_it_is_answered(server: ReviewServer) -> None:
    body = {"decision": "same", "groups": [mentions(server)], "note": "<script>alert(1)</script>"}
    status, _, answer = send(server, "POST", decisions(server), body)
    assert status == 201
    [saved] = read_corrections(server.session.file).decisions
    assert json.loads(answer) == saved.to_json()
    assert saved.mentions[0].id
    assert json.loads(send(server, "GET", decisions(server))[2])["decisions"] == [saved.to_json()]
    status, _, _ = send(server, "POST", decisions(server), {"decision": "undo", "undoes": saved.id})
    assert status == 201
    assert not read_corrections(server.session.file).standing


def test_decisions_that_contradict_or_name_nothing_are_refused_and_not_written(server: ReviewServer) -> None:
    a, b, c = mentions(server, 3)
    for group in ([a, b], [b, c]):
        assert send(server, "POST", decisions(server), {"decision": "same", "groups": [group]})[0] == 201
    before = server.session.file.read_bytes()
    bad: list[tuple[object, str]] = [
        ({"decision": "different", "groups": [[a], [c]]}, "apart, but other decisions join"),
        ({"decision": "same", "groups": [[a, {**b, "char_start": 1}]]}, "has no event mention"),
        ({"decision": "same", "groups": [[a, {**b, "text": "other"}]]}, "has no event mention"),
        ({"decision": "undo", "undoes": "nothing"}, "there is no decision"),
        ({"decision": "same", "groups": [[a, b]], "id": "mine"}, "not a decision"),
        ({"decision": "rename", "groups": [[a]], "label": ""}, "label is empty"),
        ([1, 2], "not a decision"),
    ]
    for body, words in bad:
        status, _, answer = send(server, "POST", decisions(server), body)
        assert status == 409
        assert words in json.loads(answer)["error"]
    assert server.session.file.read_bytes() == before


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "localhost:80"}, 421),
        ({"Host": None}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": None}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "application/x-www-form-urlencoded"}, 415),
        ({"Content_Type": None}, 415),
        ({"Content_Length": str(LARGEST_BODY + 1)}, 413),
        ({"Content_Length": "-1"}, 411),
        ({"Content_Length": "many"}, 411),
    ],
)
def test_what_another_site_could_send_is_refused(
    server: ReviewServer, changes: dict[str, str | None], status: int
) -> None:
    body = {"decision": "same", "groups": [mentions(server)]}
    assert send(server, "POST", decisions(server), body, **changes)[0] == status
    assert not server.session.file.exists()


@pytest.mark.parametrize(
    "path", ["/", "/report.html", "/decisions", "/wrong/report.html", "//", "/wrong/decisions"]
)
def test_without_the_token_there_is_nothing(server: ReviewServer, path: str) -> None:
    assert send(server, "GET", path)[0] == 404
    assert send(server, "POST", path, {"decision": "same", "groups": [mentions(server)]})[0] == 404
    assert not server.session.file.exists()


@pytest.mark.parametrize(
    "name", ["run.json", "../out/run.json", "%2e%2e/out/run.json", "result.jsonl", "", "/etc/passwd"]
)
def test_only_the_pages_are_served(server: ReviewServer, name: str) -> None:
    assert send(server, "GET", f"/{server.token}/{name}")[0] == 404


def test_get_requests_of_other_sites_are_refused(server: ReviewServer) -> None:
    page = urlsplit(server.address).path
    assert send(server, "GET", page, Host="evil.example")[0] == 421
    assert send(server, "GET", page, Origin="http://evil.example")[0] == 403
    assert send(server, "GET", page, Sec_Fetch_Site="cross-site")[0] == 403
    assert send(server, "OPTIONS", page)[0] == 501
    assert send(server, "PUT", page)[0] == 501


def test_two_reviewers_of_one_run_are_refused(server: ReviewServer) -> None:
    with pytest.raises(OutputExistsError, match="somebody else is reviewing this run"):
        Session(server.session.folder)


def test_decisions_of_many_threads_are_all_kept(server: ReviewServer) -> None:
    a, b = mentions(server)

    def decide() -> None:
        for _ in range(5):
            assert send(server, "POST", decisions(server), {"decision": "same", "groups": [[a, b]]})[0] == 201

    threads = [threading.Thread(target=decide) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_corrections(server.session.file)) == 20


def test_a_torn_line_is_told_and_mended(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "out")
    with Session(folder) as session:
        first, second = [MarkedMention.of(m) for m in session.result.corpus.mentions("action")][:2]
    append(folder / "corrections.jsonl", [new_decision("same", [[first, second]])])
    with (folder / "corrections.jsonl").open("ab") as file:
        file.write(b'{"id": "cut sho')
    with Session(folder) as session:
        assert session.torn
        assert len(session.decisions) == 1
        session.decide({"decision": "not-an-event", "groups": [[first.to_json()]]})
    assert [d.decision for d in read_corrections(folder / "corrections.jsonl").decisions] == [
        "same",
        "not-an-event",
    ]


def test_a_full_disk_is_told(server: ReviewServer, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    body = {"decision": "same", "groups": [mentions(server)]}
    with monkeypatch.context() as patched:
        patched.setattr("samevent.review.session.append", full)
        status, _, answer = send(server, "POST", decisions(server), body)
    assert status == 507
    assert "No space left" in json.loads(answer)["error"]
    assert not server.session.decisions
    assert send(server, "POST", decisions(server), body)[0] == 201


def test_a_file_that_cannot_be_read_leaves_the_run_to_others(tmp_path: Path) -> None:
    folder = finished_run(tmp_path / "out")
    (folder / "corrections.jsonl").write_text("no decision\n")
    with pytest.raises(FormatError, match="is not JSON"):
        Session(folder)
    (folder / "corrections.jsonl").unlink()
    with Session(folder) as session:
        assert not session.decisions


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_nothing_is_lost_however_the_command_ends(tmp_path: Path, end: signal.Signals) -> None:
    folder = finished_run(tmp_path / "out")
    command = [sys.executable, "-m", "samevent", "review", str(folder), "--no-open"]
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a suite in the background ignores it
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=heard)
    assert process.stderr
    try:
        line = process.stderr.readline()
        address = urlsplit(line.split()[-1])
        token = address.path.split("/")[1]
        first = MarkedMention.of(next(open_run(folder).corpus.mentions("action"))).to_json()
        connection = http.client.HTTPConnection("127.0.0.1", address.port or 0, timeout=20)
        headers = {"Origin": f"http://127.0.0.1:{address.port}", "Content-Type": "application/json"}
        for number in range(3):
            body = json.dumps({"decision": "rename", "groups": [[first]], "label": f"name {number}"})
            connection.request("POST", f"/{token}/decisions", body, headers)
            answer = connection.getresponse()
            assert answer.status == 201
            answer.read()
        connection.close()
        os.kill(process.pid, end)
        rest = process.stderr.read()
        process.wait(timeout=30)
    finally:
        process.kill()
        process.stderr.close()
    assert [d.label for d in read_corrections(folder / "corrections.jsonl").decisions] == [
        "name 0",
        "name 1",
        "name 2",
    ]
    if end == signal.SIGINT:
        assert "3 decisions (3 rename)" in rest
        assert f"samevent review {folder} --apply" in rest
        assert process.returncode == 0
