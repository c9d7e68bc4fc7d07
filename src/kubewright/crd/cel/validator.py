"""Validation of objects by compiled rules, with upstream's texts, limits and tolerance of what was there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from kubewright.crd.cel.correlation import Correlated, element_key, old_elements
from kubewright.crd.cel.evaluator import Program
from kubewright.crd.cel.values import NONE, CelError, Convert, Optional
from kubewright.crd.go_values import shown
from kubewright.machinery.field_errors import MAX_LISTED, FieldError, TooManyErrors

__all__ = ["COST_BUDGET", "PER_CALL_LIMIT", "CelValidator", "Rule"]

PER_CALL_LIMIT: Final = 1_000_000
"""What one evaluation may cost: upstream's PerCallLimit, which it reckons to be a tenth of a second."""

COST_BUDGET: Final = 10_000_000
"""What all rules of one object may cost together: upstream's RuntimeCELCostBudget."""

_MAX_MESSAGE: Final = 5 * 1024
"""The longest message, in bytes, that a messageExpression may make."""

_OUT_OF_BUDGET: Final = (
    "validation failed due to running out of cost budget, no further validation rules will be run"
)


class Rule(NamedTuple):
    """One rule, compiled, or with the error that kept it from being."""

    text: str
    message: str = ""
    message_text: str = ""
    reason: str = ""
    optional_old_self: bool = False
    program: Program | None = None
    message_program: Program | None = None
    uses_old_self: bool = False
    field_path: str = ""
    error: str = ""

    def named(self) -> str:
        """How errors name the rule."""
        return self.message.strip() or self.text.strip() if self.message else self.text.strip()


class _Run:
    """One validation of an object: what is left of its budget, and what was found."""

    __slots__ = ("budget", "errors", "warnings")

    def __init__(self) -> None:
        self.budget = COST_BUDGET
        self.errors: list[FieldError] = []
        self.warnings: list[str] = []


class _Ratchet(NamedTuple):
    """Where the old value of a node is found, or that of the nearest one above it that has one."""

    current: Correlated | None = None
    parent: Correlated | None = None

    def tolerates(self) -> bool:
        """Whether nothing changed here, so that errors are only warned of."""
        if self.current is not None:
            return self.current.unchanged()
        return self.parent is not None and self.parent.unchanged()

    def member(self, name: str) -> _Ratchet:
        """For a field or key."""
        if self.current is None:
            return self
        if self.parent is None and name in {"apiVersion", "kind"}:
            return _Ratchet()
        return _Ratchet(self.current.member(name), self.current)

    def element(self, at: int) -> _Ratchet:
        """For an element."""
        return self if self.current is None else _Ratchet(self.current.element(at), self.current)


class CelValidator:
    """The rules of a schema and of all below it. It never changes, so that threads may share it."""

    __slots__ = ("_additional", "_convert", "_items", "_properties", "_rules", "_schema", "_wrong")

    def __init__(
        self,
        schema: Mapping[str, object],
        *,
        rules: Sequence[Rule],
        convert: Convert | None,
        wrong: str,
        items: CelValidator | None,
        additional: CelValidator | None,
        properties: Mapping[str, CelValidator],
    ) -> None:
        self._schema = schema
        self._rules = tuple(rules)
        self._convert = convert
        self._wrong = wrong
        self._items = items
        self._additional = additional
        self._properties = properties

    def validate(
        self, obj: object, old: object = None, path: str = "", *, warnings: list[str] | None = None
    ) -> list[FieldError]:
        """What is wrong with an object, by its rules; with `old`, with the update from there.

        The object must be valid by its schema otherwise. Errors of parts that the update does not change are
        no errors, but texts that are added to `warnings`. The root's own errors have the path `<nil>` if
        `path` is empty, as upstream shows it. Raises TooManyErrors for more errors than are listed.
        """
        run = _Run()
        ratchet = _Ratchet() if old is None else _Ratchet(Correlated(obj, old, self._schema))
        self._validate(run, path, obj, old, ratchet)
        if warnings is not None:
            warnings.extend(run.warnings)
        return run.errors

    def _validate(self, run: _Run, path: str, obj: object, old: object, ratchet: _Ratchet) -> bool:
        """Validate a node and what is below it; False if the budget is spent and nothing more may run."""
        if obj is None:
            return True
        if len(run.errors) > MAX_LISTED:
            raise TooManyErrors(run.errors)
        if (self._rules or self._wrong) and not self._evaluate(run, path or "<nil>", obj, old, ratchet):
            return False
        if isinstance(obj, dict):
            return self._validate_members(run, path, obj, old if isinstance(old, dict) else {}, ratchet)
        if isinstance(obj, list) and self._items is not None:
            return self._validate_elements(self._items, run, path, obj, old, ratchet)
        return True

    def _validate_members(
        self,
        run: _Run,
        path: str,
        obj: Mapping[str, object],
        old: Mapping[str, object],
        ratchet: _Ratchet,
    ) -> bool:
        additional = self._additional
        if additional is not None:
            for name, value in obj.items():
                if not additional._validate(
                    run, f"{path}[{name}]", value, old.get(name), ratchet.member(name)
                ):
                    return False
        prefix = f"{path}." if path else ""
        for name, validator in self._properties.items():
            if name in obj and not validator._validate(
                run, f"{prefix}{name}", obj[name], old.get(name), ratchet.member(name)
            ):
                return False
        return True

    def _validate_elements(
        self, items: CelValidator, run: _Run, path: str, obj: list[object], old: object, ratchet: _Ratchet
    ) -> bool:
        by_key = old_elements(self._schema, old) if old is not None else None
        keys = self._schema.get("x-kubernetes-list-map-keys")
        for at, element in enumerate(obj):
            before = None
            if by_key and isinstance(keys, Sequence):
                key = element_key(element, keys)
                before = None if key is None else by_key.get(key)
            if not items._validate(run, f"{path}[{at}]", element, before, ratchet.element(at)):
                return False
        return True

    def _evaluate(self, run: _Run, path: str, obj: object, old: object, ratchet: _Ratchet) -> bool:
        kind = str(self._schema.get("type") or "")
        if self._wrong:
            run.errors.append(_invalid(path, kind, f"rule compiler initialization error: {self._wrong}"))
            return True
        if run.budget <= 0:
            run.errors.append(_invalid(path, kind, _OUT_OF_BUDGET))
            return False
        variables: dict[str, object] = {}
        optional: dict[str, object] = {}
        for rule in self._rules:
            if rule.error:
                run.errors.append(_invalid(path, kind, f"rule compile error: {rule.error}"))
                continue
            if rule.program is None:
                continue
            if rule.uses_old_self and old is None and not rule.optional_old_self:
                continue
            if not variables:
                variables, optional = self._activation(obj, old)
            chosen = optional if rule.optional_old_self else variables
            if not self._run_rule(run, rule, rule.program, path, obj, chosen, ratchet):
                return False
        return True

    def _activation(self, obj: object, old: object) -> tuple[dict[str, object], dict[str, object]]:
        variables: dict[str, object] = {"self": self._value(obj)}
        if old is None:
            return variables, {**variables, "oldSelf": NONE}
        before = self._value(old)
        wrapped = Optional(True, before)
        return {**variables, "oldSelf": before}, {**variables, "oldSelf": wrapped}

    def _value(self, raw: object) -> object:
        if self._convert is None:
            return raw
        try:
            return self._convert(raw)
        except CelError as error:
            return CelError(*error.args)

    def _run_rule(
        self,
        run: _Run,
        rule: Rule,
        program: Program,
        path: str,
        obj: object,
        variables: dict[str, object],
        ratchet: _Ratchet,
    ) -> bool:
        value, error, cost = program.run(variables, cost_limit=PER_CALL_LIMIT)
        kind = str(self._schema.get("type") or "")
        if cost > run.budget:
            run.errors.append(_invalid(path, kind, _OUT_OF_BUDGET))
            run.budget = -1
            return False
        run.budget -= cost
        if error:
            return self._failed(run, rule, path, kind, error)
        if value is True:
            return True
        place = path
        if rule.field_path:
            place = rule.field_path if path == "<nil>" else f"{path}.{rule.field_path}"
        detail = ""
        if rule.message_program is not None:
            detail, refusal = _message(run, rule.message_program, rule.message_text, variables)
            if refusal:
                self._add(run, rule, _invalid(place, kind, refusal), ratchet)
                run.budget = -1
                return False
        if not detail:
            detail = rule.message.strip() if rule.message else f"failed rule: {rule.text.strip()}"
        self._add(run, rule, _error(place, obj, detail, rule.reason, kind), ratchet)
        return True

    @staticmethod
    def _failed(run: _Run, rule: Rule, path: str, kind: str, error: str) -> bool:
        """An error of the rule itself; such errors are never tolerated."""
        if error.startswith("no such overload"):
            detail = (
                f"'{error}': call arguments did not match a supported operator, function or macro signature "
                f"for rule: {rule.named()}"
            )
        elif error.startswith("operation cancelled"):
            detail = (
                f"'{error}': no further validation rules will be run due to call cost exceeds limit "
                f"for rule: {rule.named()}"
            )
            run.errors.append(_invalid(path, kind, detail))
            run.budget = -1
            return False
        else:
            detail = f"{error} evaluating rule: {rule.named()}"
        run.errors.append(_invalid(path, kind, detail))
        return True

    @staticmethod
    def _add(run: _Run, rule: Rule, error: FieldError, ratchet: _Ratchet) -> None:
        if not rule.uses_old_self and ratchet.tolerates():
            if len(run.warnings) < MAX_LISTED:
                run.warnings.append(str(error))
        else:
            run.errors.append(error)


def _message(run: _Run, program: Program, text: str, variables: dict[str, object]) -> tuple[str, str]:
    """The message that an expression makes, empty if it makes none that will do; and what ends validation."""
    value, error, cost = program.run(variables, cost_limit=PER_CALL_LIMIT)
    if cost > run.budget:
        return "", (
            "messageExpression evaluation failed due to running out of cost budget, "
            "no further validation rules will be run"
        )
    run.budget -= cost
    if error.startswith("operation cancelled"):
        return "", (
            "no further validation rules will be run due to call cost exceeds limit "
            f"for messageExpression: {shown(text)}"
        )
    if error or not isinstance(value, str):
        return "", ""
    message = value.strip()
    if len(message.encode(errors="surrogatepass")) > _MAX_MESSAGE or "\n" in message:
        return "", ""
    return message, ""


def _invalid(path: str, kind: str, detail: str) -> FieldError:
    return FieldError("FieldValueInvalid", path, f"Invalid value: {shown(kind)}: {detail}")


def _error(path: str, obj: object, detail: str, reason: str, kind: str) -> FieldError:
    if reason == "FieldValueForbidden":
        return FieldError(reason, path, f"Forbidden: {detail}")
    if reason == "FieldValueRequired":
        return FieldError(reason, path, f"Required value: {detail}")
    # Objects and lists are not shown.
    value = "" if kind in {"object", "array"} else f": {shown(obj)}"
    if reason == "FieldValueDuplicate":
        return FieldError(reason, path, f"Duplicate value{value}")
    return FieldError("FieldValueInvalid", path, f"Invalid value{value}: {detail}")
