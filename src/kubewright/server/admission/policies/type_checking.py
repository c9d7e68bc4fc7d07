"""What is wrong with the expressions of a ValidatingAdmissionPolicy if objects have the types of their kinds.

When a policy is written, its objects may be anything: rules can name many resources, some of which are not
there yet. So expressions compile whatever fields they name, and the status tells which of them the kinds that
the rules name do not have. The texts are those of upstream's validatingadmissionpolicy-status controller.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from kubewright.crd.cel.declared import Declared, check_declared, fields, plain, type_of_result
from kubewright.crd.cel.engine import CompileError
from kubewright.crd.cel.schema_types import SchemaType, schema_type
from kubewright.machinery.gvk import GroupVersionKind
from kubewright.server.admission.expressions import common_variables
from kubewright.server.admission.policies.policy import Policy
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource import ServedResource

__all__ = ["Schemas", "expression_warnings", "resolved_schema"]

_MAX_TYPES: Final = 10
"""How many kinds are looked at per rule; upstream's maxTypesToCheck."""

_REFERENCE: Final = "#/components/schemas/"
_WORDS: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII).findall

Schemas: TypeAlias = Callable[[GroupVersionKind, frozenset[str]], Object | None]
"""Finds the schema of a kind, with the fields alone whose names are given; None if there is none."""


def expression_warnings(policy: Object, served: Sequence[ServedResource], schemas: Schemas) -> list[Object]:
    """The warnings of a policy's status. Raises CelUnavailableError."""
    spec: Object = policy.get("spec") or {}
    words = _words(spec)
    types: list[tuple[GroupVersionKind, SchemaType | None]] = []
    for kind in _kinds(spec, served):
        schema = schemas(kind, words)
        if schema is not None:
            types.append((kind, schema_type(schema, is_resource_root=True)))
    param_kind = Policy(policy).param_kind
    found = None if param_kind is None else schemas(param_kind, words)
    params = None if found is None else schema_type(found, is_resource_root=True)
    environments = [
        (kind, _variables(spec, kind, declared, param_kind, params, words)) for kind, declared in types
    ]
    warnings: list[Object] = []
    for index, validation in enumerate(spec.get("validations") or ()):
        for field in ("expression", "messageExpression"):
            text = validation.get(field) or ""
            told = list(_told(text, environments, words)) if text else []
            if told:
                place = f"spec.validations[{index}].{field}"
                warnings.append({"fieldRef": place, "warning": "\n".join(told)})
    return warnings


def _words(spec: Object) -> frozenset[str]:
    texts = [each.get("expression") or "" for each in spec.get("variables") or ()]
    for validation in spec.get("validations") or ():
        texts += [validation.get("expression") or "", validation.get("messageExpression") or ""]
    return frozenset(word for text in texts for word in _WORDS(text))


def _kinds(spec: Object, served: Sequence[ServedResource]) -> list[GroupVersionKind]:
    """The kinds that the rules of a policy name outright, in order."""
    by_resource: dict[tuple[str, str, str], GroupVersionKind] = {
        (each.group, each.version, each.resource): each.gvk for each in served
    }
    found: set[GroupVersionKind] = set()
    for rule in (spec.get("matchConstraints") or {}).get("resourceRules") or ():
        groups, versions = rule.get("apiGroups") or (), rule.get("apiVersions") or ()
        if any("*" in each for each in (*groups, *versions)):
            continue
        resources = [each for each in rule.get("resources") or () if not set(each) & set("*/")]
        named = [
            by_resource[place]
            for group in sorted(groups)
            for version in sorted(versions)
            for resource in sorted(resources)
            if (place := (group, version, resource)) in by_resource
        ]
        found |= set(named[:_MAX_TYPES])
        if len(named) >= _MAX_TYPES:
            break
    return sorted(found)


def _variables(
    spec: Object,
    kind: GroupVersionKind,
    declared: SchemaType | None,
    param_kind: GroupVersionKind | None,
    params: SchemaType | None,
    words: frozenset[str],
) -> Mapping[str, Declared]:
    """The variables of expressions for objects of one kind, with their types."""
    own = Declared("dyn") if declared is None else Declared(declared, kind.kind)
    # Upstream does not declare authorizer.requestResource here.
    made = {
        **common_variables(),
        "object": own,
        "oldObject": own,
        "authorizer": Declared("kubernetes.authorization.Authorizer"),
    }
    if param_kind is not None:
        made["params"] = Declared("dyn") if params is None else Declared(params, param_kind.kind)
    members: dict[str, SchemaType] = {}
    made["variables"] = Declared(fields(members), "kubernetes.variables")
    for variable in spec.get("variables") or ():
        members = dict(members)
        try:
            result = check_declared(variable.get("expression") or "", made, words)
            members[variable.get("name") or ""] = type_of_result(result)
        except CompileError:
            members[variable.get("name") or ""] = plain("dyn")
        made["variables"] = Declared(fields(members), "kubernetes.variables")
    return made


def _told(
    text: str,
    environments: Sequence[tuple[GroupVersionKind, Mapping[str, Declared]]],
    words: frozenset[str],
) -> Iterator[str]:
    for kind, variables in environments:
        try:
            check_declared(text, variables, words)
        except CompileError as error:
            yield f"{kind.group}/{kind.version}, Kind={kind.kind}: {error}\n"


def resolved_schema(document: Object, kind: GroupVersionKind, words: frozenset[str]) -> Object | None:
    """The schema of a kind out of a document of OpenAPI v3, with the fields alone that are among `words`."""
    schemas: Mapping[str, Object] = (document.get("components") or {}).get("schemas") or {}
    wanted = {"group": kind.group, "version": kind.version, "kind": kind.kind}
    for name, schema in schemas.items():
        if wanted in (schema.get("x-kubernetes-group-version-kind") or ()):
            return _resolved(schema, schemas, words | _ALWAYS, frozenset({name}))
    return None


_ALWAYS: Final = frozenset({"apiVersion", "kind", "metadata", "name", "generateName"})
"""Fields that every resource has, which its schema must have if it is to count as one."""


def _resolved(
    schema: Object, schemas: Mapping[str, Object], words: frozenset[str], above: frozenset[str]
) -> Object:
    """A schema with what it refers to in place; of what holds itself nothing is known, as upstream."""
    reference = _reference(schema)
    if reference in above:
        return {"type": "object"}
    if reference:
        schema, above = schemas.get(reference, {}), above | {reference}
    if schema.get("format") == "int-or-string":
        return {"x-kubernetes-int-or-string": True}
    made = {key: value for key, value in schema.items() if key != "properties"}
    if isinstance(schema.get("properties"), Mapping):
        made["properties"] = {
            name: _resolved(member, schemas, words, above)
            for name, member in schema["properties"].items()
            if name in words
        }
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), Mapping):
            made[key] = _resolved(schema[key], schemas, words, above)
    return made


def _reference(schema: Object) -> str:
    """What a schema stands for; empty if it is one itself."""
    found = schema.get("$ref")
    for wrapped in schema.get("allOf") or ():
        found = found or wrapped.get("$ref")
    return str(found or "").removeprefix(_REFERENCE)
