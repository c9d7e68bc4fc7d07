"""What tests of programs for Kubernetes need: a cluster in the process, and operators that stand still.

    async with Cluster() as cluster:              # in an event loop
        async with Client(cluster.config) as client: ...
    with Cluster.in_thread() as cluster:          # beside blocking code: kubectl, other clients
        subprocess.run(["kubectl", "--kubeconfig", cluster.kubeconfig, "get", "namespaces"])

With pytest, the fixture `kube` gives each test a client of a fresh cluster; see `plugin`. `define` makes
kinds of one's own known to it. `run_operator` runs an operator on it with a `ManualClock`, waits until it has
settled and lets time pass; `reconcile_once` runs a reconciler once. `FaultProxy` stands between a client and
a server, and does to connections what networks do.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubewright.testing.clock import ManualClock as ManualClock
    from kubewright.testing.cluster import Cluster as Cluster
    from kubewright.testing.definitions import define as define
    from kubewright.testing.faults import FaultProxy as FaultProxy
    from kubewright.testing.operator import RunningOperator as RunningOperator
    from kubewright.testing.operator import run_operator as run_operator
    from kubewright.testing.reconciles import Failure as Failure
    from kubewright.testing.reconciles import ReconcilesFailed as ReconcilesFailed
    from kubewright.testing.settling import NotSettled as NotSettled
    from kubewright.testing.single_reconcile import reconcile_once as reconcile_once

_MODULES: Final = {
    "clock": "ManualClock",
    "cluster": "Cluster",
    "definitions": "define",
    "faults": "FaultProxy",
    "operator": "RunningOperator run_operator",
    "reconciles": "Failure ReconcilesFailed",
    "settling": "NotSettled",
    "single_reconcile": "reconcile_once",
}
_HOMES: Final = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [*_HOMES]  # noqa: PLE0604 - the names of the table above, which are texts


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: every run of pytest imports this package for the plugin."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
