"""Updates of pods that have been written to before, against the recorded answers of a real kube-apiserver."""

from __future__ import annotations

import json

import pytest

from tests.server.kinds.core.pod_steps import ANSWERS, CASES, Steps, embedded_answer
from tests.server.kinds.harness import Json

RECORDED: Json = json.loads(ANSWERS.read_text())


@pytest.mark.parametrize("steps", CASES, ids=[steps.name for steps in CASES])
def test_as_the_real_server(steps: Steps) -> None:
    assert embedded_answer(steps) == RECORDED[steps.name]
