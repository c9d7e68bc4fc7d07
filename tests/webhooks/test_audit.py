"""Audit annotations, in the audit log of a real kube-apiserver."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kubewright.webhooks import Review, validating
from tests.webhooks.apps import App, InCluster, app, run_in, until

POLICY = "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: Metadata}]\n"


@validating(App)
async def audited(review: Review[App]) -> None:
    review.annotate("why", f"because of {review.user.username}")


@pytest.mark.real
def test_annotations_are_in_the_audit_log(tmp_path: Path) -> None:
    from tests.realcluster.server import RealServer

    policy, log = tmp_path / "policy.yaml", tmp_path / "audit.log"
    policy.write_text(POLICY)
    flags = [f"--audit-policy-file={policy}", f"--audit-log-path={log}", "--audit-log-mode=blocking"]

    def found() -> set[str]:
        # The last line may be on its way.
        events = [json.loads(line) for line in log.read_text().split("\n")[:-1]]
        key = "vapp-v1.webhooks.example.com/why"
        return {event["annotations"][key] for event in events if key in event.get("annotations", {})}

    async def test(cluster: InCluster) -> None:
        async with cluster.asking(audited):
            await cluster.apps.create(app("a"))
            await until(lambda: bool(found()))

    with RealServer(fsync=False, flags=flags) as server:
        run_in(server, test)
        assert found() == {"because of admin"}
