"""What a check of somebody's rights may cost; how it decides is in tests/conformance/authorization."""

from __future__ import annotations

import time

from kubewright.testing import Cluster
from tests.conformance.authorization.policies import (
    GROUP,
    as_user,
    binding,
    create,
    path_of,
    role,
    rule,
    subject,
)
from tests.conformance.client import Client


def test_rules_with_too_many_combinations() -> None:
    with Cluster.in_thread(controllers="none") as cluster:
        client = Client(cluster)
        many = " ".join(f"n{index}" for index in range(1000))
        held = [rule("get", "*", f"r{index}") for index in range(100)]
        create(
            client,
            role("writer", rule("create", GROUP, "clusterroles"), *held),
            binding("writer", "writer", subject("User", "writer")),
        )
        made = role("made", rule(many, many, many))
        begin = time.process_time()
        response = client.post(path_of(made), made, headers=as_user("writer"))
        assert time.process_time() - begin < 10
        assert response.status == 403
        message = response.json()["message"]
        assert message.endswith("its rules have more than 10,000 combinations; divide it into several roles")
        assert len(message) < 200
        # The administrator needs no check.
        assert client.post(path_of(made), made).status == 201
        client.close()
