"""A right that is missing: which one it is, one line that says how to get it, and an event on the object."""

from __future__ import annotations

import asyncio
import logging

import pytest

from kubewright import Context, Request
from kubewright.client.client import Client
from kubewright.controllers.denials import Denial, Denials, denial_of
from kubewright.controllers.outcomes import Outcome, OutcomeKind
from kubewright.controllers.reporting import RECONCILES
from kubewright.machinery.errors import Forbidden
from kubewright.machinery.status import Status
from kubewright.models.core_v1 import ConfigMap, Event, Secret
from kubewright.testing import Cluster, run_operator

USER = "system:serviceaccount:shop:operator"


def refused(message: str) -> Forbidden:
    return Forbidden(Status(status="Failure", reason="Forbidden", code=403, message=message))


def failed(error: BaseException) -> Outcome:
    return Outcome(OutcomeKind.ERROR, error=error)


REFUSAL = refused(
    f'widgets.example.com "a" is forbidden: User "{USER}" cannot patch resource "widgets/status" in API '
    'group "example.com" in the namespace "default"'
)
LACKING = Denial(USER, "patch", "example.com", "widgets/status", "default")


class TestDenialOf:
    def test_what_is_missing(self) -> None:
        assert denial_of(failed(REFUSAL)) == LACKING

    def test_in_the_whole_cluster(self) -> None:
        error = refused(
            f'nodes is forbidden: User "{USER}" cannot list resource "nodes" in API group "" '
            "at the cluster scope"
        )
        assert denial_of(failed(error)) == Denial(USER, "list", "", "nodes", "")

    def test_in_groups_and_causes(self) -> None:
        wrapped = RuntimeError("no status")
        wrapped.__cause__ = REFUSAL
        assert denial_of(failed(ExceptionGroup("two", [ValueError(), wrapped]))) == LACKING

    @pytest.mark.parametrize(
        "error", [refused('pods "a" is forbidden: exceeded quota: small'), ValueError("no")], ids=str
    )
    def test_other_failures(self, error: Exception) -> None:
        assert denial_of(failed(error)) is None

    def test_success(self) -> None:
        assert denial_of(Outcome(OutcomeKind.SUCCESS)) is None

    def test_the_words(self) -> None:
        assert LACKING.message == (
            f'User "{USER}" cannot patch resource "widgets/status" in API group "example.com" '
            'in the namespace "default"'
        )
        mark = '@rbac(groups=["example.com"], resources=["widgets/status"], verbs=["patch"])'
        assert mark in LACKING.remedy


def test_a_right_is_reported_once_in_ten_minutes() -> None:
    denials = Denials()
    other = LACKING._replace(verb="update")
    assert [denials.is_due(LACKING, now) for now in (0, 1, 599)] == [True, False, False]
    assert denials.is_due(other, 599)
    assert denials.is_due(LACKING, 600)


def test_a_reconcile_without_a_right(caplog: pytest.LogCaptureFixture) -> None:
    """Two objects, some retries: one line, without a trace, and an event on each of them."""

    async def reconcile(ctx: Context, request: Request) -> None:
        async with asyncio.TaskGroup() as tasks:
            # Chosen at run time, so that its right cannot be derived.
            tasks.create_task(ctx.client.api(KINDS["secret"], "default").delete("password"))

    def setup(manager: object) -> None:
        manager.controller(ConfigMap, reconcile, workers=2)  # type: ignore[attr-defined]

    async def main() -> None:
        async with Cluster(controllers="none") as cluster, Client(cluster.config) as admin:
            maps = admin.api(ConfigMap, "default")
            for name in ("a", "b"):
                await maps.create({"metadata": {"name": name}})
            async with run_operator(admin, setup, rights="derived") as operator:
                KINDS["secret"] = Secret
                await operator.advance(60, allow_errors=True)
                assert {each.request.name for each in operator.errors} >= {"a", "b"}
            events = [each async for each in admin.api(Event, "default").list() if each.reason == "Forbidden"]
            assert {each.involved_object.name for each in events} >= {"a", "b"}
            for event in events:
                assert event.type == "Warning"
                assert (
                    'cannot delete resource "secrets" in API group "" in the namespace "default"'
                    in event.message
                )
                assert event.involved_object.uid

    with caplog.at_level(logging.DEBUG, logger=RECONCILES):
        asyncio.run(main())
    records = [each for each in caplog.records if each.name == RECONCILES]
    lines = [each for each in records if each.levelno == logging.ERROR]
    assert len(lines) == 1
    (line,) = lines
    assert line.exc_info is None
    said = line.getMessage()
    assert "system:serviceaccount:default:operator-" in said
    assert 'cannot delete resource "secrets" in API group "" in the namespace "default"' in said
    assert '@rbac(groups=[""], resources=["secrets"], verbs=["delete"])' in said
    assert "`kubewright manifests`" in said
    # The retries are still there for those who look closely.
    repeated = [
        each for each in records if each.levelno == logging.DEBUG and "cannot delete" in each.getMessage()
    ]
    assert len(repeated) > 4


KINDS: dict[str, type[Secret]] = {}
