"""Controllers: what a program does with the objects that it watches.

`manager` runs `controller`s, each of which takes keys from a queue and has a function bring the object into
the state it should have. Changes become keys in `sources`, filtered by `predicates`. A reconcile gets a
`context`, whose client (`cached_client`) reads from the manager's `cache` and writes to the server;
`own_writes` keeps the next one of the same key from seeing what was before. A manager may work with several
clusters (`managed_cluster`), each of which has caches of its own. `leader_election` lets one manager of many
work, and `runner` is what runs while it does. `events`, `owners`, `conditions`, `finalizers`, `status` and
`writes` are what reconcilers are written with.

`rbac` marks a function or class with the rights that its code uses, and `declared` derives those that every
controller needs; `kubewright manifests` makes Roles of both.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

# At once: the module of that name would take its place.
from kubewright.controllers.rbac import rbac

if TYPE_CHECKING:
    from kubewright.controllers.conditions import find_condition as find_condition
    from kubewright.controllers.conditions import is_false as is_false
    from kubewright.controllers.conditions import is_true as is_true
    from kubewright.controllers.conditions import remove_condition as remove_condition
    from kubewright.controllers.conditions import set_condition as set_condition
    from kubewright.controllers.context import Context as Context
    from kubewright.controllers.controller import Controller as Controller
    from kubewright.controllers.events import EventRecorder as EventRecorder
    from kubewright.controllers.finalizers import add_finalizer as add_finalizer
    from kubewright.controllers.finalizers import drop_finalizer as drop_finalizer
    from kubewright.controllers.finalizers import ensure_finalizer as ensure_finalizer
    from kubewright.controllers.finalizers import finalize as finalize
    from kubewright.controllers.finalizers import has_finalizer as has_finalizer
    from kubewright.controllers.finalizers import remove_finalizer as remove_finalizer
    from kubewright.controllers.leader_election import LeaderElection as LeaderElection
    from kubewright.controllers.leader_election import LeadershipLost as LeadershipLost
    from kubewright.controllers.managed_cluster import ManagedCluster as ManagedCluster
    from kubewright.controllers.manager import Manager as Manager
    from kubewright.controllers.owners import AlreadyOwned as AlreadyOwned
    from kubewright.controllers.owners import controller_of as controller_of
    from kubewright.controllers.owners import is_controlled_by as is_controlled_by
    from kubewright.controllers.owners import owner_reference as owner_reference
    from kubewright.controllers.owners import remove_controller_reference as remove_controller_reference
    from kubewright.controllers.owners import remove_owner_reference as remove_owner_reference
    from kubewright.controllers.owners import set_controller_reference as set_controller_reference
    from kubewright.controllers.owners import set_owner_reference as set_owner_reference
    from kubewright.controllers.predicates import Predicate as Predicate
    from kubewright.controllers.predicates import annotations_changed as annotations_changed
    from kubewright.controllers.predicates import generation_changed as generation_changed
    from kubewright.controllers.predicates import has_labels as has_labels
    from kubewright.controllers.predicates import labels_changed as labels_changed
    from kubewright.controllers.predicates import resource_version_changed as resource_version_changed
    from kubewright.controllers.requests import Request as Request
    from kubewright.controllers.requests import Result as Result
    from kubewright.controllers.requests import Terminal as Terminal
    from kubewright.controllers.sources import Source as Source
    from kubewright.controllers.sources import owned as owned
    from kubewright.controllers.status import patch_status as patch_status
    from kubewright.controllers.status import status_of as status_of
    from kubewright.controllers.writes import Operation as Operation
    from kubewright.controllers.writes import apply as apply
    from kubewright.controllers.writes import create_or_patch as create_or_patch
    from kubewright.controllers.writes import create_or_update as create_or_update

_MODULES: Final = {
    "conditions": "find_condition is_false is_true remove_condition set_condition",
    "context": "Context",
    "controller": "Controller",
    "writes": "Operation apply create_or_patch create_or_update",
    "events": "EventRecorder",
    "finalizers": ("add_finalizer drop_finalizer ensure_finalizer finalize has_finalizer remove_finalizer"),
    "leader_election": "LeaderElection LeadershipLost",
    "managed_cluster": "ManagedCluster",
    "manager": "Manager",
    "owners": (
        "AlreadyOwned controller_of is_controlled_by owner_reference remove_controller_reference "
        "remove_owner_reference set_controller_reference set_owner_reference"
    ),
    "predicates": (
        "Predicate annotations_changed generation_changed has_labels labels_changed resource_version_changed"
    ),
    "requests": "Request Result Terminal",
    "sources": "Source owned",
    "status": "patch_status status_of",
}
_HOMES: Final = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = ["rbac", *_HOMES]  # noqa: PLE0604 - the names of the table above, which are texts


def __getattr__(name: str) -> object:
    """Load a public name when it is first used: `rbac` marks need no client."""
    if name not in _HOMES:
        raise AttributeError(f"module 'kubewright.controllers' has no attribute {name!r}")
    value: object = getattr(import_module(f"kubewright.controllers.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
