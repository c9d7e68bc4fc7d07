"""The CEL expressions of an authentication configuration: over `claims`, and over `user`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubewright.server.authentication.authenticator import InvalidCredentials

if TYPE_CHECKING:
    from kubewright.crd.cel import Program
    from kubewright.crd.cel.ast import Expr

__all__ = ["CLAIMS", "USER", "Expression", "ExpressionInvalid", "compile_expression"]

CLAIMS: Final = "claims"
USER: Final = "user"

_COST_LIMIT: Final = 1_000_000
"""What one evaluation may cost: upstream's PerCallLimit."""

_USER_FIELDS: Final = frozenset({"username", "uid", "groups", "extra"})

_TYPES: Final = {CLAIMS: "map<string, any>", USER: "map<string, dyn>"}
"""Upstream knows the types of what a user has; here they are found out when an expression is evaluated."""


class ExpressionInvalid(Exception):
    """An expression does not compile, or not to what it must."""


class Expression(NamedTuple):
    """An expression that may be evaluated."""

    text: str
    variable: str
    program: Program
    selected: frozenset[str]
    """The fields of the variable that it selects by name."""

    def evaluate(self, value: dict[str, object]) -> object:
        """What it comes to. Raises InvalidCredentials."""
        result = self.program.run({self.variable: value}, cost_limit=_COST_LIMIT)
        if result.error:
            raise InvalidCredentials(f"expression '{self.text}' resulted in error: {result.error}")
        return result.value


def compile_expression(text: str, variable: str, *, boolean: bool = False) -> Expression:
    """Compile an expression over one variable; a rule must be boolean. Raises ExpressionInvalid."""
    # CEL is large, and most servers have no such expression.
    from kubewright.crd.cel import CelUnavailableError, CompileError  # noqa: PLC0415
    from kubewright.crd.cel.ast import walk  # noqa: PLC0415
    from kubewright.crd.cel.compiler import check_in, compile_checked  # noqa: PLC0415
    from kubewright.crd.cel.environment import environment_of  # noqa: PLC0415
    from kubewright.crd.cel.evaluator import ProgramError  # noqa: PLC0415

    try:
        checked = check_in(environment_of({variable: _TYPES[variable]}), text)
        compiled = compile_checked(checked)
    except CelUnavailableError as error:
        raise ExpressionInvalid(str(error)) from None
    except CompileError as error:
        raise ExpressionInvalid(f"compilation failed: {error}") from None
    except ProgramError as error:
        raise ExpressionInvalid(f"program instantiation failed: {error}") from None
    if boolean and compiled.result_type not in ({"bool", "dyn"} if variable == USER else {"bool"}):
        raise ExpressionInvalid("must evaluate to bool")
    selected = frozenset(field for node in walk(checked.expr) if (field := _selected(node, variable)))
    if variable == USER and (unknown := sorted(selected - _USER_FIELDS)):
        raise ExpressionInvalid(f"compilation failed: undefined field '{unknown[0]}'")
    return Expression(text, variable, compiled.program, selected)


def _selected(node: Expr, variable: str) -> str:
    """The field that a node selects of a variable, as `claims.a` or `claims.?a`; empty for other nodes."""
    from kubewright.crd.cel.ast import Call, Const, Ident, Select  # noqa: PLC0415 - see compile_expression

    if isinstance(node, Select):
        operand, field = node.operand, node.field
    elif isinstance(node, Call) and node.function == "_?._" and isinstance(node.args[1], Const):
        operand, field = node.args[0], str(node.args[1].value)
    else:
        return ""
    return field if isinstance(operand, Ident) and operand.name == variable else ""
