"""`kubectl run -i` on a cluster in the process: a shell that waits, and whose end is that of its pod."""

from __future__ import annotations

import os
import pty

import pytest

from tests.cluster.test_kubectl_pods import PATIENCE, Kubectl, kubectl, read_until

__all__ = ["kubectl"]  # the fixture

pytestmark = pytest.mark.real

RUN = ("run", "--image=busybox", "--restart=Never")


def ended(kubectl: Kubectl, name: str) -> str:
    place = "{.status.phase} {.status.containerStatuses[0].state.terminated.exitCode}"
    return kubectl("get", "pod", name, f"--output=jsonpath={place}").stdout


def test_a_shell_at_a_terminal_stays_until_exit_is_typed(kubectl: Kubectl) -> None:
    ours, theirs = pty.openpty()
    with kubectl.start(*RUN, "-it", "typed", "--", "sh", terminal=theirs) as shell:
        os.close(theirs)
        read_until(ours, "/ # ")
        os.write(ours, b"echo $HOSTNAME\r")
        assert read_until(ours, "/ # ") == "echo $HOSTNAME\r\ntyped\r\n/ # "
        os.write(ours, b"exit 3\r")
        assert shell.wait(PATIENCE) == 3
    os.close(ours)
    assert ended(kubectl, "typed") == "Failed 3"


def test_ctrl_d_ends_it_and_rm_takes_it_away(kubectl: Kubectl) -> None:
    ours, theirs = pty.openpty()
    with kubectl.start(*RUN, "-it", "--rm", "short", "--", "bash", terminal=theirs) as shell:
        os.close(theirs)
        read_until(ours, "/ # ")
        os.write(ours, b"\x04")
        assert shell.wait(PATIENCE) == 0
    os.close(ours)
    assert 'pods "short" not found' in kubectl("get", "pod", "short", code=1).stderr


def test_a_script_from_stdin(kubectl: Kubectl) -> None:
    done = kubectl(*RUN, "-i", "piped", "--", "sh", stdin="echo one\nexit 4\n", code=4)
    assert done.stdout == "one\n"
    assert ended(kubectl, "piped") == "Failed 4"
    quiet = ("-i", "--rm", "--quiet", "counted", "--", "sh", "-c", "cat; echo done")
    assert kubectl(*RUN, *quiet, stdin="a\nb\n").stdout == "a\nb\ndone\n"


def test_what_is_not_typed_into_ends_as_before(kubectl: Kubectl) -> None:
    kubectl(*RUN, "task", "--", "sh", "-c", "true")
    kubectl("wait", "pod", "task", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=60s")
