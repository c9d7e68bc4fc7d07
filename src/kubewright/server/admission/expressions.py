"""The CEL expressions of admission: compiled in upstream's environment, and run within its limits.

All of them may name `object`, `oldObject`, `request` and `namespaceObject`; those of policies `params` and
`variables` besides, and most `authorizer`. CEL is an extra of kubewright: without it nothing compiles, and
whoever has an expression is told so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from kubewright.crd.cel.declared import (
    Declared,
    compile_declared,
    fields,
    list_of,
    map_of,
    plain,
    type_of_result,
)
from kubewright.crd.cel.engine import CelUnavailableError, CompileError
from kubewright.crd.cel.evaluator import Evaluated, Program, ProgramError
from kubewright.crd.cel.values import CelError, Computed
from kubewright.machinery.field_errors import go_quote

if TYPE_CHECKING:
    from kubewright.crd.cel.schema_types import SchemaType

__all__ = [
    "CONDITIONS_BUDGET",
    "EXPRESSIONS_BUDGET",
    "Activation",
    "Compiler",
    "Expression",
    "OutOfBudget",
    "common_variables",
]

_CALL_LIMIT: Final = 1_000_000
"""What one expression may cost; upstream's PerCallLimit."""

EXPRESSIONS_BUDGET: Final = 10_000_000
"""What all expressions of a policy may cost for one binding; upstream's RuntimeCELCostBudget."""

CONDITIONS_BUDGET: Final = 2_500_000
"""What all match conditions of a webhook or policy may cost; RuntimeCELCostBudgetMatchConditions."""


class OutOfBudget(Exception):
    """The expressions together did more work than they may; the text is upstream's."""

    def __init__(self) -> None:
        super().__init__(
            "validation failed due to running out of cost budget, no further validation rules will be run"
        )


class Expression:
    """One expression: its program, or why it has none.

    `error` is upstream's text; `is_internal` tells that it can be checked and not run, `is_unavailable` that
    CEL is not installed.
    """

    __slots__ = ("error", "is_internal", "is_unavailable", "program", "text")

    def __init__(
        self,
        text: str,
        *,
        program: Program | None = None,
        error: str = "",
        is_internal: bool = False,
        is_unavailable: bool = False,
    ) -> None:
        self.text = text
        self.program = program
        self.error = error
        self.is_internal = is_internal
        self.is_unavailable = is_unavailable

    @property
    def uses(self) -> frozenset[str]:
        """The names of the variables that it refers to."""
        return frozenset() if self.program is None else self.program.uses


class Compiler:
    """Compiles the expressions of one policy or webhook, each with the variables that stand before it."""

    def __init__(self, *, has_params: bool = False, is_composite: bool = False) -> None:
        """`is_composite` declares `variables`, to which `variable` adds."""
        self._declared: Final = dict(common_variables())
        if has_params:
            self._declared["params"] = Declared("dyn")
        self._members: Final[dict[str, SchemaType]] = {}
        self._is_composite: Final = is_composite
        self.variables: Final[dict[str, Expression]] = {}

    def variable(self, name: str, text: str) -> Expression:
        """Compile a variable, which expressions that are compiled after it may name."""
        made, kind = self._compiled(text, (), authorizer=True, patches=False)
        self._members[name] = kind
        self.variables[name] = made
        return made

    def expression(
        self, text: str, returns: Sequence[str] = (), *, authorizer: bool = True, patches: bool = False
    ) -> Expression:
        """Compile an expression; `returns` are the types that its result may have, none for any.

        With `patches` it may make `Object` and `JSONPatch` messages.
        """
        return self._compiled(text, returns, authorizer=authorizer, patches=patches)[0]

    def _compiled(
        self, text: str, returns: Sequence[str], *, authorizer: bool, patches: bool
    ) -> tuple[Expression, SchemaType]:
        variables = {**self._declared, **(_AUTHORIZER if authorizer else {})}
        if self._is_composite:
            variables["variables"] = Declared(fields(self._members), "kubernetes.variables")
        try:
            compiled = compile_declared(text, variables, patches=patches, shown=_SHOWN)
        except CompileError as error:
            return Expression(text, error=f"compilation failed: {error}"), plain("dyn")
        except ProgramError as error:
            why = f"program instantiation failed: {error}"
            return Expression(text, error=why, is_internal=True), plain("dyn")
        except CelUnavailableError as error:
            return Expression(text, error=str(error), is_unavailable=True), plain("dyn")
        shown = str(compiled.result)
        if returns and shown not in returns:
            wanted = f"one of [{' '.join(returns)}]" if len(returns) > 1 else returns[0]
            return Expression(text, error=f"must evaluate to {wanted} but got {shown}"), plain("dyn")
        return Expression(text, program=compiled.program), type_of_result(compiled.result)


class Activation:
    """The values of all variables for one write, with which the expressions of one sort are run.

    `remaining` is what they may still cost.
    """

    __slots__ = ("_bindings", "_composition", "remaining")

    def __init__(self, bindings: dict[str, object], variables: Mapping[str, Expression], budget: int) -> None:
        self.remaining = budget
        self._bindings = bindings
        self._composition: _Composition | None = None
        if variables:
            self._bindings = {**bindings}
            self._composition = self._bindings["variables"] = _Composition(variables, self._bindings)

    def run(self, expression: Expression) -> Evaluated:
        """The result of an expression, with upstream's text for what went wrong. Raises OutOfBudget."""
        program = expression.program
        if program is None:
            why = expression.error if expression.is_unavailable else f"compilation error: {expression.error}"
            return Evaluated(None, why, 0)
        result = program.run(self._bindings, cost_limit=_CALL_LIMIT)
        cost = result.cost
        if self._composition is not None:
            cost += self._composition.spent()
        self.remaining -= cost
        if self.remaining < 0:
            raise OutOfBudget
        if result.error:
            return Evaluated(None, f"expression '{expression.text}' resulted in error: {result.error}", cost)
        return result


class _Composition(Computed):
    """`variables`: each is made when it is first named, and then kept."""

    __slots__ = ("_bindings", "_cost", "_expressions", "_values")

    def __init__(self, expressions: Mapping[str, Expression], bindings: dict[str, object]) -> None:
        self._expressions = expressions
        self._bindings = bindings
        self._values: dict[str, object] = {}
        self._cost = 0

    def select(self, field: str) -> object:
        if field not in self._values:
            self._values[field] = self._evaluated(field)
        value = self._values[field]
        if type(value) is CelError:
            raise CelError(str(value))
        return value

    def has(self, field: str) -> bool:
        self.select(field)
        return True

    def spent(self) -> int:
        """What the variables have cost since this was last asked."""
        cost, self._cost = self._cost, 0
        return cost

    def _evaluated(self, name: str) -> object:
        expression = self._expressions.get(name)
        if expression is None:
            return CelError(f"no such key: {name}")
        if expression.program is None:
            return CelError(f"composited variable {go_quote(name)} fails to compile: {expression.error}")
        result = expression.program.run(self._bindings, cost_limit=_CALL_LIMIT)
        self._cost += result.cost
        if result.error:
            return CelError(f"composited variable {go_quote(name)} fails to evaluate: {result.error}")
        return result.value


_SHOWN: Final = {
    "kubernetes.AdmissionRequest.kind": "kubernetes.GroupVersionKind",
    "kubernetes.AdmissionRequest.requestKind": "kubernetes.GroupVersionKind",
    "kubernetes.AdmissionRequest.resource": "kubernetes.GroupVersionResource",
    "kubernetes.AdmissionRequest.requestResource": "kubernetes.GroupVersionResource",
    "kubernetes.AdmissionRequest.userInfo": "kubernetes.UserInfo",
    "kubernetes.Namespace.metadata": "kubernetes.NamespaceMetadata",
    "kubernetes.Namespace.spec": "kubernetes.NamespaceSpec",
    "kubernetes.Namespace.status": "kubernetes.NamespaceStatus",
    "kubernetes.Namespace.status.conditions.@idx": "kubernetes.NamespaceCondition",
}
"""What upstream calls the types of fields."""

_AUTHORIZER: Final = {
    "authorizer": Declared("kubernetes.authorization.Authorizer"),
    "authorizer.requestResource": Declared("kubernetes.authorization.ResourceCheck"),
}


@lru_cache(maxsize=1)
def common_variables() -> Mapping[str, Declared]:
    """The variables that all expressions may name, with their types."""
    return {
        "object": Declared("dyn"),
        "oldObject": Declared("dyn"),
        "namespaceObject": Declared(_namespace(), "kubernetes.Namespace"),
        "request": Declared(_request(), "kubernetes.AdmissionRequest"),
    }


def _request() -> SchemaType:
    """An AdmissionRequest without its objects, as upstream declares it."""
    text = plain("string")
    kind = fields({"group": text, "version": text, "kind": text})
    resource = fields({"group": text, "version": text, "resource": text})
    user = fields({"username": text, "uid": text, "groups": list_of(text), "extra": map_of(list_of(text))})
    return fields(
        {
            "kind": kind,
            "resource": resource,
            "subResource": text,
            "requestKind": kind,
            "requestResource": resource,
            "requestSubResource": text,
            "name": text,
            "namespace": text,
            "operation": text,
            "userInfo": user,
            "dryRun": plain("bool"),
            "options": plain("dyn"),
        }
    )


def _namespace() -> SchemaType:
    """What upstream declares of a Namespace; times are declared as such, and are texts nonetheless."""
    text, time, number = plain("string"), plain("timestamp"), plain("int")
    condition = fields(
        {"status": text, "type": text, "lastTransitionTime": time, "message": text, "reason": text}
    )
    metadata = {
        "name": text,
        "generateName": text,
        "namespace": text,
        "labels": map_of(text),
        "annotations": map_of(text),
        "UID": text,
        "creationTimestamp": time,
        "deletionGracePeriodSeconds": number,
        "deletionTimestamp": time,
        "generation": number,
        "resourceVersion": text,
        "finalizers": list_of(text),
    }
    return fields(
        {
            "metadata": fields(metadata),
            "spec": fields({"finalizers": list_of(text)}),
            "status": fields({"conditions": list_of(condition), "phase": text}),
        }
    )
