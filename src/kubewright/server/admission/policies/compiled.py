"""The expressions of policies, compiled as upstream compiles them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from kubewright.server.admission.expressions import Compiler, Expression
from kubewright.server.kinds.kind import Object

__all__ = [
    "ANNOTATION_TYPES",
    "MutatingRules",
    "Mutation",
    "ValidatingRules",
    "Validation",
    "compile_mutating",
    "compile_validating",
]

ANNOTATION_TYPES: Final = ("string", "null_type")
"""What the value of an audit annotation may be; null leaves it out."""


class Validation(NamedTuple):
    """One rule that must hold."""

    expression: Expression
    message_expression: Expression | None
    message: str
    reason: str
    """Empty when the policy says none."""


class ValidatingRules(NamedTuple):
    """The expressions of a ValidatingAdmissionPolicy."""

    variables: Mapping[str, Expression]
    conditions: Sequence[Expression]
    validations: Sequence[Validation]
    annotations: Sequence[tuple[str, Expression]]
    """By key, what makes the value."""
    uses: frozenset[str]
    """The names of all variables that the expressions refer to."""
    message_runs: int
    """How many expressions may be run to make messages."""


class Mutation(NamedTuple):
    """One change, which is either applied or a JSON patch."""

    expression: Expression
    is_json_patch: bool


class MutatingRules(NamedTuple):
    """The expressions of a MutatingAdmissionPolicy."""

    variables: Mapping[str, Expression]
    conditions: Sequence[Expression]
    mutations: Sequence[Mutation]
    uses: frozenset[str]


def compile_validating(spec: Object) -> ValidatingRules:
    """Compile a ValidatingAdmissionPolicy; what does not compile is told when it is run."""
    compiler = _compiler(spec)
    conditions = _conditions(compiler, spec)
    validations = [_validation(compiler, each) for each in spec.get("validations") or ()]
    annotations = [
        (each.get("key") or "", compiler.expression(each.get("valueExpression") or "", ANNOTATION_TYPES))
        for each in spec.get("auditAnnotations") or ()
    ]
    messages = [each.message_expression for each in validations if each.message_expression is not None]
    every = [*compiler.variables.values(), *conditions, *(each.expression for each in validations)]
    every += [*messages, *(expression for _, expression in annotations)]
    return ValidatingRules(
        compiler.variables,
        conditions,
        validations,
        annotations,
        _uses(every),
        len(messages) + len(compiler.variables),
    )


def compile_mutating(spec: Object) -> MutatingRules:
    """Compile a MutatingAdmissionPolicy; what does not compile is told when it is run."""
    compiler = _compiler(spec)
    conditions = _conditions(compiler, spec)
    mutations = [_mutation(compiler, each) for each in spec.get("mutations") or ()]
    every = [*compiler.variables.values(), *conditions, *(each.expression for each in mutations)]
    return MutatingRules(compiler.variables, conditions, mutations, _uses(every))


def _compiler(spec: Object) -> Compiler:
    compiler = Compiler(has_params=spec.get("paramKind") is not None, is_composite=True)
    for variable in spec.get("variables") or ():
        compiler.variable(variable.get("name") or "", variable.get("expression") or "")
    return compiler


def _conditions(compiler: Compiler, spec: Object) -> Sequence[Expression]:
    return [
        compiler.expression(each.get("expression") or "", ("bool",))
        for each in spec.get("matchConditions") or ()
    ]


def _validation(compiler: Compiler, validation: Object) -> Validation:
    message = validation.get("messageExpression") or ""
    return Validation(
        compiler.expression(validation.get("expression") or "", ("bool",)),
        compiler.expression(message, ("string",), authorizer=False) if message else None,
        (validation.get("message") or "").strip(),
        validation.get("reason") or "",
    )


def _mutation(compiler: Compiler, mutation: Object) -> Mutation:
    if mutation.get("patchType") == "JSONPatch":
        text = (mutation.get("jsonPatch") or {}).get("expression") or ""
        return Mutation(compiler.expression(text, ("list(JSONPatch)",), patches=True), is_json_patch=True)
    text = (mutation.get("applyConfiguration") or {}).get("expression") or ""
    return Mutation(compiler.expression(text, ("Object",), patches=True), is_json_patch=False)


def _uses(expressions: Sequence[Expression]) -> frozenset[str]:
    return frozenset(name for expression in expressions for name in expression.uses)
