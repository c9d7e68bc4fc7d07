"""The rules of the built-in kinds against the recorded answers of a real kube-apiserver."""

from __future__ import annotations

import pytest

from tests.cases import check_each
from tests.server.kinds.harness import ANSWERS, Case, answers, cases, embedded_answer

GROUPS = sorted(path.stem for path in ANSWERS.glob("*.json"))


@pytest.mark.parametrize("group", GROUPS)
def test_as_the_real_server(group: str) -> None:
    told = answers(group)

    def check(case: Case) -> None:
        assert embedded_answer(case) == told[case.name]

    check_each({case.name: case for case in cases(group)}, check)
