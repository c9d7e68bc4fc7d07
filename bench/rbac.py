"""What authorization costs: GETs of a server with 500 roles and bindings, and of one that asks nobody."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.loading import build_load, send_load
from bench.pods import small_pod
from bench.row import Row
from bench.scale import scaled
from bench.servers import Target
from kubewright.testing import Cluster
from tests.conformance.authorization.policies import binding, create, role, rule, subject
from tests.conformance.client import Client

_GETS = scaled(10_000, tiny=20)
_ROUNDS = scaled(5, tiny=1)
"""Each figure is the best of so many, in turns."""

_ROLES = scaled(250, tiny=4)
"""As many roles as bindings; half of them of the namespace, half of the cluster."""

_PODS = "/api/v1/namespaces/default/pods"
_USER = "scoped"
_LEAST = 0.85
"""What must be left of the GETs."""


def rows() -> list[Row]:
    """The administrator and a caller with rights by one of the roles; nothing where there is no Go."""
    if shutil.which("go") is None:
        print("bench/rbac: left out, there is no Go to build the load with", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = build_load(folder)
        with _cluster(folder, "open", anonymous_admin=True) as free, _cluster(folder, "rbac") as asked:
            targets = {"none": free["admin"], "scoped": asked[_USER], "admin": asked["admin"]}
            best = dict.fromkeys(targets, 0.0)
            for _ in range(_ROUNDS):
                for which, target in targets.items():
                    arguments = ("-path", f"{_PODS}/one", "-count", str(_GETS))
                    best[which] = max(
                        best[which], send_load(program, target, "gets", *arguments)["per_second"]
                    )
    return [
        Row(
            f"GETs with RBAC, {2 * _ROLES} roles and bindings, {which}",
            "no authorization",
            "ms",
            1e6 / best[who],
            1e6 / best["none"],
            _LEAST,
        )
        for who, which in (("scoped", "a scoped user"), ("admin", "system:masters"))
    ]


@contextmanager
def _cluster(folder: Path, name: str, *, anonymous_admin: bool = False) -> Iterator[dict[str, Target]]:
    """A server with a pod, and how the two callers reach it."""
    with Cluster.in_thread(controllers="none", anonymous_admin=anonymous_admin) as cluster:
        client = Client(cluster)
        assert client.post(_PODS, small_pod("one")).status == 201
        if not anonymous_admin:
            _bind(client)
        client.close()
        pair = cluster.issue_client_certificate(_USER, ["some", "groups"])
        files = folder / f"{name}.crt", folder / f"{name}.key"
        for file, content in zip(files, (pair.certificate, pair.key), strict=True):
            file.touch(0o600)
            file.write_bytes(content)
        yield {
            _USER: Target(cluster.url, cluster.ca_file, str(files[0]), str(files[1]), 0, []),
            "admin": Target(
                cluster.url, cluster.ca_file, cluster.client_cert_file, cluster.client_key_file, 0, []
            ),
        }


def _bind(client: Client) -> None:
    """Roles and bindings of everybody; the last is the caller's."""
    for index in range(_ROLES):
        namespace = "default" if index % 2 else ""
        name = f"role-{index}"
        who = [subject("User", f"user-{index}"), subject("Group", f"group-{index}")]
        if index == _ROLES - 1:
            who.append(subject("User", _USER))
        rules = [rule("get list watch", "core", "configmaps pods pods/log"), rule("*", "apps", "*")]
        kind = "Role" if namespace else "ClusterRole"
        create(
            client,
            role(name, *rules, namespace=namespace),
            binding(name, name, *who, namespace=namespace, kind=kind),
        )
