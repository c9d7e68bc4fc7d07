"""The lives of pods, without a cluster: what is told at which time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.models.core_v1 import Pod
from tests.cluster.kubelet.played import ADDRESSES, Played


def test_a_pod_runs_and_is_ready_at_once() -> None:
    played = Played()
    life = played.at(0)
    assert (played.phase, played.ready, life.due, life.gone) == ("Running", True, None, False)
    assert played.told == ["Pulled", "Created", "Started"]
    assert (life.status.pod_ip, life.status.host_ip) == (ADDRESSES.pod, ADDRESSES.host)
    before = played.pod.status.to_json()
    assert played.at(100).due is None
    assert played.pod.status.to_json() == before
    assert played.told == ["Pulled", "Created", "Started"]


def test_it_takes_the_time_that_it_is_told_to() -> None:
    played = Played(script={"start-after": "2s", "ready-after": "500ms"})
    assert played.at(0).due == pytest.approx(2, abs=0.3)
    assert (played.phase, played.state()) == ("Pending", "ContainerCreating")
    assert played.at(2).due == pytest.approx(0.5)
    assert (played.phase, played.state(), played.ready) == ("Running", "running", False)
    message = next(each.message for each in played.pod.status.conditions if each.type == "ContainersReady")
    assert message == "containers with unready status: [main]"
    assert played.at(2.5).due is None
    assert played.ready


def test_one_that_is_never_ready() -> None:
    played = Played(script={"ready-after": "never"})
    assert played.at(0).due is None
    assert (played.phase, played.ready) == ("Running", False)


@pytest.mark.parametrize("policy", ["OnFailure", "Never"])
def test_a_task_runs_to_completion(policy: str) -> None:
    played = Played(restartPolicy=policy, script={"run-for": "3s"})
    assert played.at(0).due == pytest.approx(3)
    assert played.phase == "Running"
    assert played.at(3).due is None
    assert (played.phase, played.state()) == ("Succeeded", "terminated 0 Completed")
    reasons = {each.type: (each.status, each.reason) for each in played.pod.status.conditions}
    assert reasons["Ready"] == ("False", "PodCompleted")
    assert reasons["Initialized"] == ("True", "PodCompleted")


def test_a_task_that_fails() -> None:
    played = Played(restartPolicy="Never", script={"exit-code": "3"})
    played.at(0)
    assert (played.phase, played.state()) == ("Failed", "terminated 3 Error")
    again = Played(restartPolicy="OnFailure", script={"exit-code": "3"})
    again.at(0)
    assert (again.phase, again.state()) == ("Running", "CrashLoopBackOff")


def test_a_crash_loop_backs_off_as_kubelets_do() -> None:
    played = Played(script={"crash-loop": "true"})
    # The first restart is at once, the next ones after 10, 20, 40 seconds and so on, up to five minutes.
    moment, restarts, waits = 0.0, [], []
    for _ in range(8):
        due = played.at(moment).due
        assert due is not None
        assert (played.phase, played.state()) == ("Running", "CrashLoopBackOff")
        restarts.append(played.pod.status.container_statuses[0].restart_count)
        waits.append(round(due))
        moment += due
    assert restarts == [1, 2, 3, 4, 5, 6, 7, 8]
    assert waits == [10, 20, 40, 80, 160, 300, 300, 300]
    assert played.told.count("BackOff") == 8


def test_containers_that_initialize_come_first_and_one_after_the_other() -> None:
    first, second = {"name": "first", "image": "i"}, {"name": "second", "image": "i"}
    played = Played(initContainers=[first, second], script={"run-for.first": "1s", "run-for.second": "1s"})
    played.at(0)
    assert played.phase == "Pending"
    assert [played.state(each) for each in ("first", "second", "main")] == [
        "running",
        "PodInitializing",
        "PodInitializing",
    ]
    played.at(1)
    assert [played.state(each) for each in ("first", "second", "main")] == [
        "terminated 0 Completed",
        "running",
        "PodInitializing",
    ]
    played.at(2)
    assert (played.phase, played.ready) == ("Running", True)


def test_an_initialization_that_fails_for_good() -> None:
    played = Played(
        initContainers=[{"name": "init", "image": "i"}], restartPolicy="Never", script={"exit-code.init": "1"}
    )
    played.at(0)
    assert (played.phase, played.state("init"), played.state()) == (
        "Failed",
        "terminated 1 Error",
        "PodInitializing",
    )


def test_a_sidecar_runs_beside() -> None:
    sidecar = {"name": "proxy", "image": "i", "restartPolicy": "Always"}
    played = Played(initContainers=[sidecar], restartPolicy="Never", script={"run-for": "2s"})
    played.at(0)
    assert [played.state(each) for each in ("proxy", "main")] == ["running", "running"]
    assert (played.phase, played.ready) == ("Running", True)


def test_readiness_gates() -> None:
    played = Played(readinessGates=[{"conditionType": "example.com/open"}])
    played.at(0)
    assert (played.phase, played.ready) == ("Running", False)
    found = next(each for each in played.pod.status.conditions if each.type == "Ready")
    assert found.reason == "ReadinessGatesNotReady"


def test_an_image_that_cannot_be_pulled() -> None:
    played = Played(script={"image-pull-error": "true"})
    assert played.at(0).due is None
    assert (played.phase, played.state()) == ("Pending", "ImagePullBackOff")
    played.at(5)
    assert played.told == ["Failed", "Failed", "BackOff", "Failed"]


def test_a_deleted_pod_ends_at_once() -> None:
    played = Played()
    played.at(0)
    played.delete(10, grace=30)
    life = played.at(10)
    assert life.gone
    assert (played.phase, played.state(), played.ready) == ("Succeeded", "terminated 0 Completed", False)


def test_one_that_takes_its_time_to_end() -> None:
    played = Played(script={"stop-after": "5s"})
    played.at(0)
    played.delete(10, grace=30)
    life = played.at(10)
    assert not life.gone
    assert life.due == pytest.approx(5, abs=1)
    assert (played.phase, played.ready) == ("Running", True)
    assert played.at(15).gone
    assert played.state() == "terminated 0 Completed"


def test_one_that_does_not_end_in_its_grace_period_is_killed() -> None:
    played = Played(script={"stop-after": "60s"})
    played.at(0)
    played.delete(10, grace=2)
    assert not played.at(11).gone
    assert played.at(12).gone
    assert (played.phase, played.state()) == ("Failed", "terminated 137 Error")


def test_a_pod_that_is_over_stays_so() -> None:
    played = Played(restartPolicy="Never")
    played.at(0)
    before = played.pod.status.to_json()
    played.at(1000)
    assert played.pod.status.to_json() == before
    played.delete(1000, grace=0)
    assert played.at(1000).gone
    assert played.phase == "Succeeded"


def test_annotations_that_cannot_be_read_are_told_once() -> None:
    played = Played(script={"exit-code": "many"})
    played.at(0)
    played.at(1)
    assert played.told.count("InvalidScript") == 1
    assert played.phase == "Running"


SCRIPTS = st.fixed_dictionaries(
    {},
    optional={
        "start-after": st.sampled_from(["0s", "1s", "300ms"]),
        "ready-after": st.sampled_from(["0s", "2s", "never"]),
        "run-for": st.sampled_from(["0s", "1s", "2500ms", "never"]),
        "exit-code": st.sampled_from(["0", "1", "137"]),
        "stop-after": st.sampled_from(["0s", "1s"]),
    },
)


@given(
    script=SCRIPTS,
    policy=st.sampled_from(["Always", "OnFailure", "Never"]),
    looks=st.lists(st.floats(0.01, 30), max_size=12),
)
def test_looks_at_any_time_find_what_looks_when_it_is_due_find(
    script: dict[str, str], policy: str, looks: list[float]
) -> None:
    """Whoever looks more often, or is late, sees no phase go back from over, and ends where others end."""
    seen = Played(restartPolicy=policy, script=script)
    moment, over = 0.0, ""
    for pause in [0.0, *looks]:
        moment += pause
        life = seen.at(moment)
        assert life.due is None or life.due > 0
        if over:
            assert seen.phase == over
        over = seen.phase if seen.phase in {"Succeeded", "Failed"} else ""
        assert seen.ready <= (seen.phase == "Running")
    code, ends = script.get("exit-code", "0"), script.get("run-for")
    if policy == "Never" and ends != "never" and moment > 10:
        assert seen.phase == ("Succeeded" if code == "0" else "Failed")


def test_the_words_of_a_backoff() -> None:
    played = Played(script={"crash-loop": "true"})
    moment, told = 0.0, []
    for _ in range(6):
        due = played.at(moment).due
        assert due is not None
        waiting = played.pod.status.container_statuses[0].state.waiting
        assert waiting is not None
        told.append(waiting.message.split()[1])
        moment += due
    assert told == ["10s", "20s", "40s", "1m20s", "2m40s", "5m0s"]


def test_a_long_run_is_no_crash_loop() -> None:
    played = Played(script={"run-for": "11m"})
    played.at(0)
    for number in range(1, 5):
        played.at(number * 660)
        assert played.state() == "running"
        assert played.pod.status.container_statuses[0].restart_count == number


def test_an_initialization_that_is_tried_again() -> None:
    played = Played(initContainers=[{"name": "init", "image": "i"}], script={"exit-code.init": "1"})
    assert played.at(0).due == pytest.approx(10, abs=1)
    assert (played.phase, played.state("init"), played.state()) == (
        "Pending",
        "CrashLoopBackOff",
        "PodInitializing",
    )
    played.pod.metadata.annotations = {}
    played.at(11)
    assert (played.phase, played.ready) == ("Running", True)
    assert played.pod.status.init_container_statuses[0].restart_count == 2


def conditions(played: Played) -> dict[str, str]:
    return {each.type: each.status for each in played.pod.status.conditions}


SIDECARS = [{"name": name, "image": "i", "restartPolicy": "Always"} for name in ("first", "second")]


def test_sidecars_end_after_the_others_the_last_one_first() -> None:
    script = {"run-for": "2s", "run-for.first": "never", "run-for.second": "never"}
    script |= {"stop-after.first": "3s", "stop-after.second": "3s"}
    played = Played(initContainers=SIDECARS, restartPolicy="Never", script=script)
    played.at(0)
    assert played.at(2).due == pytest.approx(3, abs=0.1)
    assert [played.state(each) for each in ("main", "second", "first")] == [
        "terminated 0 Completed",
        "running",
        "running",
    ]
    assert played.phase == "Running"
    played.at(5)
    assert [played.state(each) for each in ("second", "first")] == ["terminated 0 Completed", "running"]
    played.at(6)
    assert [each.restart_count for each in played.pod.status.init_container_statuses] == [0, 0]
    assert played.at(8).due is None
    assert (played.phase, played.state("first")) == ("Succeeded", "terminated 0 Completed")
    assert played.told.count("Killing") == 2


def test_sidecars_of_an_initialization_that_fails_end() -> None:
    init = [*SIDECARS, {"name": "init", "image": "i"}]
    played = Played(initContainers=init, restartPolicy="Never", script={"exit-code.init": "1"})
    assert played.at(0).due is None
    assert (played.phase, played.state("first")) == ("Failed", "terminated 0 Completed")


def test_a_sidecar_that_crashes_holds_nobody_up() -> None:
    script = {"run-for.first": "1s", "exit-code.first": "1", "ready-after.main": "5s"}
    played = Played(initContainers=SIDECARS, script=script)
    for moment in (0, 1, 2):  # It is restarted at once, and again after ten seconds.
        played.at(moment)
    assert (played.phase, played.ready, played.state("first")) == ("Running", False, "CrashLoopBackOff")
    assert (played.state(), conditions(played)["Initialized"]) == ("running", "True")
    played.at(5)
    assert played.pod.status.container_statuses[0].ready
    played.at(12.5)
    assert (played.ready, played.state("first")) == (True, "running")


def test_one_that_is_added_to_look_at_the_others() -> None:
    played = Played(script={"run-for.debugger": "5s"})
    played.at(0)
    spec = played.pod.to_dict()["spec"]
    spec["ephemeralContainers"] = [
        {"name": "debugger", "image": "busybox"},
        {"name": "other", "image": "busybox"},
    ]
    played.pod = Pod.from_dict({**played.pod.to_dict(), "spec": spec})
    played.at(1)
    found = {each.name: each.state for each in played.pod.status.ephemeral_container_statuses}
    assert [each.running is not None for each in found.values()] == [True, True]
    assert played.at(6).due is None
    found = {each.name: each.state for each in played.pod.status.ephemeral_container_statuses}
    assert (found["debugger"].terminated is not None, found["other"].running is not None) == (True, True)
    assert (played.phase, played.ready) == ("Running", True)


def test_a_pod_that_is_past_its_deadline_fails() -> None:
    played = Played(activeDeadlineSeconds=5, script={"stop-after": "2s"})
    assert played.at(0).due == pytest.approx(5, abs=0.1)
    assert played.at(5).due == pytest.approx(2, abs=0.1)
    assert played.phase == "Running"
    life = played.at(7)
    assert (life.due, life.gone) == (None, False)
    status = played.pod.status
    assert (status.phase, status.reason) == ("Failed", "DeadlineExceeded")
    assert status.message == "Pod was active on the node longer than the specified deadline"
    assert played.told == ["Pulled", "Created", "Started", "DeadlineExceeded", "Killing"]
    before = status.to_json()
    played.at(100)
    assert played.pod.status.to_json() == before


def test_one_that_is_done_before_its_deadline() -> None:
    played = Played(activeDeadlineSeconds=5, restartPolicy="Never")
    played.at(0)
    assert played.at(6).due is None
    assert (played.phase, played.pod.status.reason) == ("Succeeded", "")


def test_another_image_restarts_the_container() -> None:
    played = Played()
    played.at(0)
    first = played.pod.status.container_statuses[0].container_id
    played.pod.spec.containers[0].image = "nginx:2"
    played.at(5)
    status = played.pod.status.container_statuses[0]
    assert (status.image, status.restart_count, played.state(), played.ready) == (
        "nginx:2",
        1,
        "running",
        True,
    )
    assert status.container_id != first
    assert status.last_state.terminated is not None
    assert played.told[3:] == ["Killing", "Pulled", "Created", "Started"]


def test_another_image_ends_a_crash_loop_and_a_failed_pull() -> None:
    played = Played(script={"crash-loop": "true"})
    played.at(0)
    played.at(10)
    played.pod.metadata.annotations = {}
    played.pod.spec.containers[0].image = "nginx:2"
    played.at(11)
    assert (played.state(), played.ready) == ("running", True)
    played = Played(script={"image-pull-error": "true"})
    played.at(0)
    played.pod.metadata.annotations = {}
    played.pod.spec.containers[0].image = "nginx:2"
    played.at(1)
    status = played.pod.status.container_statuses[0]
    assert (played.state(), status.image, status.restart_count) == ("running", "nginx:2", 0)


def resized(played: Played, **requests: str) -> None:
    body = played.pod.to_dict()
    body["spec"]["containers"][0]["resources"] = {"requests": requests}
    body["metadata"]["generation"] = 2
    played.pod = Pod.from_dict(body)


@pytest.mark.parametrize("policy", ["NotRequired", "RestartContainer"])
def test_a_resize(policy: str) -> None:
    container = {
        "name": "main",
        "image": "i",
        "resources": {"requests": {"cpu": "1"}},
        "resizePolicy": [{"resourceName": "cpu", "restartPolicy": policy}],
    }
    played = Played(containers=[container])
    played.at(0)
    status = played.pod.status.container_statuses[0]
    assert str(status.allocated_resources["cpu"]) == "1"
    resized(played, cpu="2")
    played.at(1)
    status = played.pod.status.container_statuses[0]
    assert status.resources is not None
    assert (str(status.resources.requests["cpu"]), str(status.allocated_resources["cpu"])) == ("2", "2")
    assert status.restart_count == (1 if policy == "RestartContainer" else 0)
    assert [each for each in played.told if each.startswith("Resize")] == ["ResizeStarted", "ResizeCompleted"]
    assert played.at(2).notices == ()


def test_a_pod_that_ends_starts_nothing_more() -> None:
    containers = [{"name": "main", "image": "i"}, {"name": "crashing", "image": "i"}]
    played = Played(containers=containers, script={"stop-after.main": "20s", "crash-loop.crashing": "true"})
    played.at(0)
    played.delete(5, grace=30)
    played.at(15)
    assert played.pod.status.container_statuses[1].restart_count == 1
    assert played.at(25).gone
    assert (played.phase, played.state("crashing")) == ("Failed", "terminated 1 Error")


def test_one_that_is_deleted_before_it_starts() -> None:
    played = Played(script={"start-after": "1m"})
    played.at(0)
    played.delete(1, grace=30)
    assert played.at(1).gone
    assert (played.phase, played.state()) == ("Failed", "terminated 137 ContainerStatusUnknown")
    unseen = Played()
    unseen.delete(0, grace=30)
    assert unseen.at(0).gone
    assert unseen.phase == "Failed"


def test_a_shorter_grace_period_counts() -> None:
    played = Played(script={"stop-after": "60s"})
    played.at(0)
    played.delete(10, grace=30)
    assert not played.at(12).gone
    played.delete(10, grace=3)
    assert played.at(13).gone
    assert played.told.count("Killing") == 1


def test_fractions_of_a_second_count_though_statuses_have_none() -> None:
    played = Played(script={"stop-after": "500ms", "ready-after": "500ms"})
    played.at(0.6)
    ready = []
    for moment in (1, 1.1):
        played.at(moment)
        ready.append(played.ready)
    assert ready == [False, True]
    played.delete(10.6, grace=30)
    played.pod = Pod.from_json(played.pod.to_json())
    assert not played.at(10.6).gone
    assert not played.at(11).gone
    assert played.at(11.1).gone


@pytest.mark.parametrize(("code", "state"), [("42", "CrashLoopBackOff"), ("1", "terminated 1 Error")])
def test_rules_of_restarts(code: str, state: str) -> None:
    rule = {"action": "Restart", "exitCodes": {"operator": "In", "values": [42]}}
    container = {"name": "main", "image": "i", "restartPolicy": "Never", "restartPolicyRules": [rule]}
    played = Played(containers=[container], script={"exit-code": code})
    played.at(0)
    assert played.state() == state
    assert played.phase == ("Running" if code == "42" else "Failed")


@pytest.mark.parametrize("grace", [10**11, 10**13, 2**63 - 1])
def test_grace_that_lasts_longer_than_there_are_dates(grace: int) -> None:
    """Servers take any number of seconds, and say the last date that there is."""
    played = Played(script={"stop-after": "2s"})
    played.at(0)
    played.pod.metadata.deletion_timestamp = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    played.pod.metadata.deletion_grace_period_seconds = grace
    life = played.at(5)
    assert not life.gone
    assert life.due == pytest.approx(2)
    life = played.at(7)
    assert (life.gone, played.state()) == (True, "terminated 0 Completed")


def test_a_status_that_tells_the_last_date_that_there_is() -> None:
    played = Played(script={"run-for": "1h"})
    played.at(0)
    running = played.pod.status.container_statuses[0].state.running
    assert running is not None
    running.started_at = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    assert (played.at(1).due or 0) > 1e9
