"""The logs of containers that pretend, as they are computed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kubewright.cluster.kubelet.logs import KEPT_LINES, ContainerLog, NoLog, Run, run_goes_on, run_of
from kubewright.cluster.kubelet.script import ContainerScript
from kubewright.models.core_v1 import Pod

BEGAN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return BEGAN + timedelta(seconds=seconds)


def log(
    text: str | None = None, every: float | None = None, *, ended: float | None = None, code: int = 0
) -> ContainerLog:
    run = Run(BEGAN, None if ended is None else at(ended), code, 0)
    return ContainerLog(ContainerScript(log=text, log_every=every), run, container="main", image="nginx:1")


def texts(log: ContainerLog, seconds: float, first: int = 0) -> list[str]:
    return [each.text for each in log.lines(first, at(seconds))]


def test_what_is_said_without_a_script() -> None:
    assert texts(log(), 100)[0] == "container main (nginx:1) has started"
    assert len(texts(log(), 100)) == 2
    assert texts(log(ended=3, code=7), 100)[-1] == "container main has ended with exit code 7"


def test_a_script_has_its_own_words() -> None:
    assert texts(log("one\ntwo"), 100) == ["one", "two"]
    assert texts(log("one\ntwo", ended=3, code=7), 100) == ["one", "two"]
    assert texts(log(""), 100) == []


def test_what_is_written_again_and_again() -> None:
    ticking = log("{tick}\ntock", 2)
    assert texts(ticking, 0) == ["{tick}", "tock"]
    assert texts(ticking, 3.9) == ["{tick}", "tock"] * 2
    assert texts(ticking, 4) == ["{tick}", "tock"] * 3
    assert [each.at for each in ticking.lines(0, at(4))] == [at(0), at(0), at(2), at(2), at(4), at(4)]
    assert [ticking.next_at(at(each)) for each in (0, 1, 2)] == [at(2), at(2), at(4)]
    assert texts(log(None, 1), 2)[2:] == ["line 1", "line 2"]


def test_nothing_is_written_after_the_end() -> None:
    ended = log("tick", 1, ended=2.5)
    assert texts(ended, 100) == ["tick"] * 3
    assert ended.next_at(at(1)) is None
    assert log("", 1).next_at(at(1)) is None


def test_intervals_that_are_no_binary_fractions() -> None:
    ticking = log("tick", 0.1)
    for count in range(200):
        moment = ticking.next_at(at(count * 0.1))
        assert moment is not None
        assert ticking.written(moment) == count + 2


def test_only_the_last_lines_are_kept() -> None:
    ticking = log("tick", 0.01)
    now = at(3600 * 24)
    assert ticking.written(now) - ticking.first(now, None) == KEPT_LINES
    assert ticking.written(now) - ticking.first(now, 10**18) == KEPT_LINES
    assert ticking.written(now) - ticking.first(now, 3) == 3
    assert ticking.first(now, 0) == ticking.written(now)


def test_the_end_is_one_of_the_last_lines() -> None:
    ended = log(ended=1)
    assert texts(ended, 5, ended.first(at(5), 1)) == ["container main has ended with exit code 0"]
    assert len(texts(ended, 5, ended.first(at(5), 2))) == 2


def test_times_as_kubelets_write_them() -> None:
    (line,) = log("x").lines(0, at(0.5))
    assert line.encode(timestamp=True) == b"2026-01-02T03:04:05.000000000Z x\n"
    (_, line) = log("é", 0.25).lines(0, at(0.3))
    assert line.encode(timestamp=True) == "2026-01-02T03:04:05.250000000Z é\n".encode()
    assert line.encode(timestamp=False) == "é\n".encode()


def pod(**status: Any) -> Pod:
    told = {"name": "main", "image": "i", "imageID": "", "ready": False, "restartCount": 0, **status}
    return Pod.from_dict({"metadata": {"name": "p"}, "spec": {}, "status": {"containerStatuses": [told]}})


def terminated(seconds: float = 0, code: int = 1) -> dict[str, Any]:
    state = {"exitCode": code, "containerID": "kubewright://x", "startedAt": at(seconds).isoformat()}
    return {"terminated": {**state, "finishedAt": at(seconds + 1).isoformat()}}


RUNNING = {"running": {"startedAt": at(50).isoformat()}}


def test_which_run_is_meant() -> None:
    assert run_of(pod(state=RUNNING), "main", previous=False) == Run(at(50), None, 0, 0)
    assert run_of(pod(state=terminated(5)), "main", previous=False) == Run(at(5), at(6), 1, 0)
    restarted = pod(state=RUNNING, lastState=terminated(5), restartCount=2)
    assert run_of(restarted, "main", previous=False) == Run(at(50), None, 0, 2)
    assert run_of(restarted, "main", previous=True) == Run(at(5), at(6), 1, 1)
    backing_off = pod(
        state={"waiting": {"reason": "CrashLoopBackOff"}}, lastState=terminated(5), restartCount=2
    )
    assert run_of(backing_off, "main", previous=False) == Run(at(5), at(6), 1, 2)


@pytest.mark.parametrize(
    ("state", "previous", "why"),
    [
        (RUNNING, True, 'previous terminated container "main" in pod "p" not found'),
        (
            {"waiting": {"reason": "ContainerCreating"}},
            False,
            'container "main" in pod "p" is waiting to start: ContainerCreating',
        ),
        (
            {"waiting": {"reason": "ImagePullBackOff"}},
            False,
            'container "main" in pod "p" is waiting to start: trying and failing to pull image',
        ),
        ({"waiting": {}}, False, 'container "main" in pod "p" is waiting to start - no logs yet'),
    ],
)
def test_containers_without_a_log(state: dict[str, Any], *, previous: bool, why: str) -> None:
    with pytest.raises(NoLog) as caught:
        run_of(pod(state=state), "main", previous=previous)
    assert str(caught.value) == why
    with pytest.raises(NoLog, match='container "other" in pod "p" is not available'):
        run_of(pod(state=state), "other", previous=previous)


def test_a_run_that_is_followed() -> None:
    run = Run(at(5), None, 0, 1)
    now = at(100)
    running = pod(state={"running": {"startedAt": at(5).isoformat()}}, restartCount=1)
    assert run_goes_on(running, "main", run, now) == run
    ended = run._replace(ended=at(6), exit_code=1)
    assert run_goes_on(pod(state=terminated(5), restartCount=1), "main", run, now) == ended
    again = pod(state=RUNNING, lastState=terminated(5), restartCount=2)
    assert run_goes_on(again, "main", run, now) == ended
    much_later = pod(state=RUNNING, lastState=terminated(40), restartCount=5)
    assert run_goes_on(much_later, "main", run, now) == run._replace(ended=now)
