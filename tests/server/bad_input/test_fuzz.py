"""Thousands of requests made by hypothesis, against a server in a process of its own.

KUBEWRIGHT_FUZZ sets another number of them for the slow test; they are the same in every run of that number.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.server.bad_input.conftest import serves
from tests.server.bad_input.requests import DEFINITION, Sent, sent_requests
from tests.server.processes import ServerProcess
from tests.server.raw_http import JSON, Answer, Connection, ask

REQUESTS = int(os.environ.get("KUBEWRIGHT_FUZZ", "10000"))
AT_ONCE = 20
"""Requests of one example, so that some act on what others have made."""

FAILED = b"the server failed"
"""What our server says, beside a traceback in its log, where it did not know what to say."""


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """In a process, in place of the one in a thread."""
    with ServerProcess(tmp_path_factory.mktemp("fuzzed")) as process:
        definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        created = ask(process, "POST", definitions, json.dumps(DEFINITION).encode())
        assert created is not None
        assert created.status == 201, created.body
        yield process


@pytest.fixture(autouse=True)
def unharmed() -> None:
    """The test looks itself, as what the server logs is not in this process."""


class Line:
    """A connection that is made anew whenever the server has closed it."""

    def __init__(self, server: ServerProcess) -> None:
        self._server = server
        self._connection: Connection | None = None
        self._fresh = False
        self.statuses: Counter[int] = Counter()

    def send(self, sent: Sent) -> Answer | None:
        """The answer; None when there is none even on a new connection."""
        answer = self._try(sent)
        if answer is None and not self._fresh:
            answer = self._try(sent)
        if answer is not None:
            self.statuses[answer.status] += 1
            if answer.headers.get("Connection") == "close":
                self.close()
        return answer

    def _try(self, sent: Sent) -> Answer | None:
        self._fresh = self._connection is None
        if self._connection is None:
            self._connection = Connection(self._server)
        try:
            answer = self._connection.request(sent.method, sent.target, sent.body, dict(sent.headers))
        except TimeoutError:
            answer = None
        if answer is None:
            self.close()
        return answer

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.socket.close()
            self._connection = None


def wrong(answer: Answer | None, sent: Sent) -> str:
    """What is wrong with an answer; empty for a proper one."""
    if answer is None:
        return "no answer"
    if FAILED in answer.body or b"Traceback" in answer.body:
        return "the server failed"
    if answer.status >= 500 and answer.headers.get("Content-Type") not in {JSON, "application/yaml"}:
        return f"a {answer.status} that is no Status"
    if answer.status < 400 or sent.method == "HEAD" or answer.headers.get("Content-Type") != JSON:
        return ""
    status = json.loads(answer.body)
    proper = status.get("kind") != "Status" or (status["code"] == answer.status and status["message"])
    return "" if proper else "no proper Status"


@pytest.mark.parametrize(
    "count",
    [pytest.param(1000, id="a thousand"), pytest.param(REQUESTS, id="ten thousand", marks=pytest.mark.slow)],
)
def test_requests_of_all_sorts(server: ServerProcess, count: int) -> None:
    """What is wrong is gathered, as a request depends on all before it and cannot be made smaller alone."""
    line = Line(server)
    failures: list[str] = []

    @settings(
        max_examples=count // AT_ONCE,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(sent_requests(), min_size=AT_ONCE, max_size=AT_ONCE))
    def run(requests: list[Sent]) -> None:
        for sent in requests:
            answer = line.send(sent)
            if problem := wrong(answer, sent):
                failures.append(f"{problem}: {sent}: {answer}")

    try:
        run()
    finally:
        line.close()
    tracebacks = server.stderr[-20_000:]
    assert not failures, "\n".join([f"{len(failures)} of {line.statuses}", *failures[:20], tracebacks])
    assert "Traceback" not in tracebacks, tracebacks
    assert line.statuses.total() >= count
    # The requests are a good mixture: some of everything that may come.
    assert {200, 201, 400, 404, 405, 406, 409, 415, 422} <= set(line.statuses)
    assert server.running
    serves(server)
    assert server.stop() == 0
    assert server.stderr == tracebacks
