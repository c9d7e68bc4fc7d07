"""What schemas make of custom resources against the recorded answers of a real kube-apiserver."""

from __future__ import annotations

import pytest

from tests.cases import check_each
from tests.crd.harness import ANSWERS, Case, answers, cases, embedded_answer, parsed

PARTS = sorted(path.stem for path in ANSWERS.glob("*.json"))


@pytest.mark.parametrize("part", PARTS)
def test_as_the_real_server(part: str) -> None:
    schemas, told = parsed(part), answers(part)

    def check(case: Case) -> None:
        schema, subresources = schemas[case.schema]
        assert embedded_answer(case, schema, subresources) == told[case.name]

    check_each({case.name: case for case in cases(part)[1]}, check)
