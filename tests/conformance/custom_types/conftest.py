"""The kinds, installed once on each server."""

from __future__ import annotations

import pytest

from tests.conformance.client import Client, Response
from tests.conformance.custom_resources import DEFINITIONS
from tests.conformance.custom_types.kinds import KINDS
from tests.conformance.waiting import eventually


@pytest.fixture(scope="session")
def installed(client: Client) -> dict[str, Response]:
    """What the server answered to the definition of each kind, by plural; all of them are served."""
    answers: dict[str, Response] = {}
    for kind in KINDS:
        answer = client.post(DEFINITIONS, kind.crd().to_dict())
        assert answer.status == 201, answer.text
        answers[kind.gvr.resource] = answer
    for kind in KINDS:
        path = f"/apis/{kind.gvk.api_version}/{kind.gvr.resource}"
        eventually(lambda path=path: client.get(path).status == 200, f"{path} is not served")
    return answers
