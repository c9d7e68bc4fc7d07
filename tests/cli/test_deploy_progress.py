"""What is told of a command's work on a cluster, however the command ends."""

from __future__ import annotations

import json

import click
import pytest

from kubewright.cli.deployment.progress import Progress
from kubewright.machinery.gvk import GroupVersionKind


@pytest.mark.parametrize("end", [SystemExit(143), KeyboardInterrupt(), click.Abort()])
def test_the_document_is_there_however_it_ends(
    end: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    progress = Progress("json")
    progress.done(GroupVersionKind("", "v1", "Namespace"), "demo-system", "", "created")
    with pytest.raises((SystemExit, click.Abort)), progress.reported("deploy"):
        raise end
    document = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in document["objects"]] == ["demo-system"]
    assert document["error"].startswith("interrupted; what is told above is done")


def test_what_a_cluster_says_does_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress("text")
    progress.say("waiting: \x1b[2J")
    progress.note("\x9b2J")
    ended = capsys.readouterr()
    assert (ended.out, ended.err) == ("waiting: \\x1b[2J\n", "note: \\x9b2J\n")
