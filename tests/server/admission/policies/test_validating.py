"""What conformance tests cannot see of ValidatingAdmissionPolicies: the audit log, budgets, compilation."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from kubewright.crd.cel.engine import UNAVAILABLE
from kubewright.machinery.errors import ApiError
from tests.server.admission.policies.registries import Server, serving

FAILURE = "validation.policy.admission.k8s.io/validation_failure"
TEN = "[1,2,3,4,5,6,7,8,9,10]"
COSTLY = f"{TEN}.all(a, {TEN}.all(b, {TEN}.all(c, {TEN}.all(d, {TEN}.all(e, e > 0)))))"
"""Costs half of what one expression may: 544,441."""


def run(test: Callable[[Server], Awaitable[None]]) -> None:
    async def served() -> None:
        async with serving() as server:
            await test(server)

    asyncio.run(served())


def rules(*expressions: str, **fields: Any) -> list[dict[str, Any]]:
    return [{"expression": expression, **fields} for expression in expressions]


async def refusal(server: Server) -> str:
    with pytest.raises(ApiError) as refused:
        await server.config_map(k="v")
    return refused.value.status.message or ""


def test_audit_annotation_of_failures() -> None:
    """The first failure counts: upstream does not write an annotation twice."""

    async def test(server: Server) -> None:
        binding = {"validationActions": ["Audit", "Warn"]}
        await server.validating("p", binding, validations=rules("true", "false", "1 > 2", message="no"))
        write = await server.config_map()
        assert json.loads(write.annotations[FAILURE]) == [
            {
                "message": "no",
                "policy": "p",
                "binding": "p",
                "expressionIndex": 1,
                "validationActions": ["Audit", "Warn"],
            }
        ]
        assert len(write.warnings) == 2

    run(test)


def test_audit_annotations() -> None:
    """Under the policy's name; those of several parameters stand beside each other, none twice."""

    async def test(server: Server) -> None:
        for name in ("one", "two", "three"):
            value = {"data": {"value": "same" if name == "three" else name}}
            labels = {"metadata": {"name": name, "labels": {"param": "yes"}}}
            await server.create("configmaps", {**labels, **value})
        await server.create(
            "configmaps", {"metadata": {"name": "x", "labels": {"param": "yes"}}, "data": {"value": "same"}}
        )
        await server.validating(
            "p",
            {
                "paramRef": {
                    "selector": {"matchLabels": {"param": "yes"}},
                    "parameterNotFoundAction": "Deny",
                }
            },
            paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
            auditAnnotations=[
                {"key": "a", "valueExpression": "' ' + string(params.data.value) + ' '"},
                {"key": "empty", "valueExpression": "' '"},
                {"key": "none", "valueExpression": "null"},
            ],
        )
        write = await server.config_map()
        assert write.annotations == {"p/a": "one, same, two"}

    run(test)


def test_long_audit_annotations_are_cut() -> None:
    async def test(server: Server) -> None:
        text = "object.data.k + object.data.k"
        await server.validating("p", auditAnnotations=[{"key": "a", "valueExpression": f"string({text})"}])
        write = await server.config_map(k="x" * 6000)
        assert len(write.annotations["p/a"]) == 10 * 1024

    run(test)


def test_budget_of_all_rules() -> None:
    async def test(server: Server) -> None:
        await server.validating("p", validations=rules(*[COSTLY] * 20))
        assert "running out of cost budget, no further validation rules will be run" in await refusal(server)

    run(test)


def test_budget_of_messages() -> None:
    """Messages are paid for even when nobody needs them."""

    async def test(server: Server) -> None:
        message = f"string({COSTLY})"
        await server.validating("p", validations=rules(*["true"] * 20, messageExpression=message))
        assert "failed messageExpression: validation failed due to running" in await refusal(server)

    run(test)


def test_budget_with_variables() -> None:
    """What variables cost counts for the expressions that first name them."""

    async def test(server: Server) -> None:
        names = [f"v{number}" for number in range(20)]
        variables = [{"name": name, "expression": COSTLY} for name in names]
        await server.validating("p", variables=variables, validations=rules("variables.v0 && variables.v1"))
        await server.config_map("fits")
        every = " && ".join(f"variables.{name}" for name in names)
        await server.validating("q", variables=variables, validations=rules(every))
        assert "'q'" in (said := await refusal(server))
        assert "running out of cost budget" in said

    run(test)


def test_variables_are_made_once() -> None:
    """However many rules name them; else these would be too much together."""

    async def test(server: Server) -> None:
        variables = [{"name": "v", "expression": COSTLY}]
        await server.validating("p", variables=variables, validations=rules(*["variables.v"] * 20))
        await server.config_map()

    run(test)


def test_nothing_is_asked_of_ignored_failures() -> None:
    async def test(server: Server) -> None:
        await server.validating("p", failurePolicy="Ignore", validations=rules(*[COSTLY] * 20))
        await server.config_map()

    run(test)


def test_policies_are_compiled_once() -> None:
    """Until their spec changes: not for a new binding, a new status or another policy."""

    async def test(server: Server) -> None:
        await server.validating("p", validations=rules("true"))
        source = server.policies._validating
        (before,) = source.hooks()
        compiled = before.policy.validating
        await server.validating("q", validations=rules("true"))
        store = server.store("validatingadmissionpolicies", "admissionregistration.k8s.io")
        entry = store.get("", "p")
        obj = store.type.decode(entry.value)
        status = {**obj, "status": {"observedGeneration": 1}}
        entry = await store.storage.update(
            entry.key, store.type.encode(status), expected_revision=entry.revision
        )
        after, other = source.hooks()
        assert after.policy.validating is compiled
        assert other.policy.name == "q"
        changed = {**obj, "spec": {**obj["spec"], "validations": rules("1 == 1")}}
        await store.storage.update(entry.key, store.type.encode(changed), expected_revision=entry.revision)
        assert source.hooks()[0].policy.validating is not compiled

    run(test)


WITHOUT_CEL = """
import asyncio, sys
sys.modules["cel_expr_python"] = None
from tests.server.admission.policies.registries import serving

async def main():
    async with serving() as server:
        await server.validating("p", failurePolicy=sys.argv[1], validations=[{"expression": "true"}])
        try:
            await server.config_map()
        except Exception as error:
            print(error.status.code, error.status.message)
        else:
            print("created")

asyncio.run(main())
"""


def _python(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_without_cel() -> None:
    """A policy can be written, and what it is for follows its failure policy."""
    sentence = UNAVAILABLE
    start = "422 configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request"
    assert _python(WITHOUT_CEL, "Fail") == f"{start}: {sentence}"
    assert _python(WITHOUT_CEL, "Ignore") == "created"


def test_without_policies_nothing_is_imported() -> None:
    code = """
import asyncio, sys
from tests.server.admission.policies.registries import serving

async def main():
    async with serving() as server:
        await server.config_map()
        print("kubewright.crd.cel" in sys.modules, "cel_expr_python" in sys.modules)

asyncio.run(main())
"""
    assert _python(code) == "False False"
