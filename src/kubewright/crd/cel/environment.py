"""The CEL environment of Kubernetes 1.36, in which rules and the expressions of policies are compiled.

Variables may have any type that can be written: `int`, `list<string>`, `map<string, dyn>`,
`optional_type<int>`, or that of a schema; `declared` has those of policies, which have several of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from kubewright.crd.cel.ast import Type, parse_type
from kubewright.crd.cel.compiler import Compiled, check_in, compile_checked
from kubewright.crd.cel.declarations import config
from kubewright.crd.cel.engine import CompileError, Environment
from kubewright.crd.cel.evaluator import ProgramError
from kubewright.crd.cel.messages import Messages
from kubewright.crd.cel.schema_types import SchemaType

__all__ = ["compile_expression", "environment_of", "schema_environment"]

_TYPE_NAMES: Final = {name: Type("type", (Type(name),)) for name in ("net.IP", "net.CIDR")}
"""The types of Kubernetes that have a name in expressions; CEL's own have theirs in the checker."""


@lru_cache(maxsize=1)
def _config() -> Mapping[str, object]:
    return config()


def environment_of(variables: Mapping[str, str]) -> Environment:
    """The environment with variables of the types that are named. Raises CelUnavailableError."""
    return Environment(
        _config(), {**_TYPE_NAMES, **{name: parse_type(kind) for name, kind in variables.items()}}
    )


def schema_environment(
    node: SchemaType,
    *,
    optional_old: bool = False,
    tested: frozenset[str] = frozenset(),
    words: frozenset[str] | None = None,
) -> Environment:
    """The environment of a rule: `self` and `oldSelf` have the type of the schema's node.

    With `optional_old`, `oldSelf` is an optional. `tested` are the lists of lists and their like, as
    `self.spec.grid`, that the rule tests with `has()`: the checker takes the test of a declared name for the
    name itself, so they are not declared, and what is in them is dyn. `words` are the names in the rules that
    will be compiled: fields with others are not declared, of which a template of pods has hundreds.

    Raises CelUnavailableError.
    """
    messages = Messages(words)
    exact = messages.type_of(node)
    old = Type("optional_type", (exact,)) if optional_old else exact
    variables = {**_TYPE_NAMES, "self": exact, "oldSelf": old}
    for root in ("self",) if optional_old else ("self", "oldSelf"):
        nested = messages.nested_containers(root, node)
        variables.update((path, kind) for path, kind in nested if path not in tested)
    return Environment(_config(), variables, messages.descriptors(), messages.shown)


def compile_expression(expression: str, variables: Mapping[str, str]) -> Compiled:
    """Compile an expression with variables of the types that are named: `{"object": "dyn"}`.

    Run it with `compiled.program.run({"object": ...}, cost_limit=...)`; JSON values can be given as they are.
    Raises CompileError, with upstream's text, for an expression that is wrong, and CelUnavailableError.
    """
    try:
        return compile_checked(check_in(environment_of(variables), expression))
    except ProgramError as error:
        raise CompileError(f"program instantiation failed: {error}") from None
