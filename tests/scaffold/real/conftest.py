"""The two servers, which tell in an audit log what they were asked; the real one enforces pod security."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.packaging.installed import installed
from tests.scaffold.real.deployment import AuditedServer, Project, make_project

if TYPE_CHECKING:
    from tests.realcluster.server import RealServer

__all__ = ["audited", "installed", "project"]

POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "Metadata"}],
}


@pytest.fixture(
    scope="session",
    params=[
        pytest.param("embedded", marks=pytest.mark.slow),
        pytest.param("real", marks=pytest.mark.real),
    ],
)
def audited(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AuditedServer]:
    """The embedded server, and a real kube-apiserver which finds services by their endpoints."""
    folder = tmp_path_factory.mktemp("audit")
    log, policy = folder / "audit.log", folder / "policy.json"
    policy.write_text(json.dumps(POLICY))
    if request.param == "real":
        with _real(log, policy) as real:
            yield AuditedServer(real, log)
    else:
        from kubewright.testing import Cluster

        with Cluster.in_thread(controllers="none", audit_log=log, audit_policy=policy) as cluster:
            yield AuditedServer(cluster, log)


def _real(log: Path, policy: Path) -> RealServer:
    from tests.realcluster.server import DISABLED_ADMISSION_PLUGINS, RealServer

    return RealServer(
        fsync=False,
        flags=[
            # A server in a cluster reaches the addresses of services; this one has their endpoints alone.
            "--enable-aggregator-routing=true",
            f"--audit-log-path={log}",
            f"--audit-policy-file={policy}",
        ],
        disabled_admission_plugins=[each for each in DISABLED_ADMISSION_PLUGINS if each != "PodSecurity"],
    )


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose kind has a controller, two versions and all webhooks."""
    return make_project(tmp_path_factory.mktemp("project"))
