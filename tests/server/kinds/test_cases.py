"""The rules of the built-in kinds against the recorded answers of a real kube-apiserver."""

from __future__ import annotations

import pytest

from tests.server.kinds.harness import ANSWERS, Case, answers, cases, embedded_answer

GROUPS = sorted(path.stem for path in ANSWERS.glob("*.json"))
ALL = [(group, case) for group in GROUPS for case in cases(group)]
TOLD = {group: answers(group) for group in GROUPS}


@pytest.mark.parametrize(("group", "case"), ALL, ids=[f"{group}-{case.name}" for group, case in ALL])
def test_as_the_real_server(group: str, case: Case) -> None:
    assert embedded_answer(case) == TOLD[group][case.name]
