"""Paths and their operations as OpenAPI writes them down, in version 2 and in version 3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from kubewright.server.kinds.kind import Object
from kubewright.server.openapi.operations import META, Operation, PathItem
from kubewright.server.openapi.parameters import Parameter

__all__ = ["path_item_v2", "path_item_v3"]

_V2_REF: Final = "#/definitions/"
_V3_REF: Final = "#/components/schemas/"

_REASONS: Final = {200: "OK", 201: "Created", 202: "Accepted", 401: "Unauthorized"}
"""OpenAPI wants every response described; upstream does so in the words of HTTP."""

_SHARED_BODIES: Final = {f"{META}DeleteOptions": "2Y1dVQaQ", f"{META}Patch": "78PwaGsr"}
"""Bodies that are shared parameters of OpenAPI v2, with their hashes; see `parameters`."""


def path_item_v3(item: PathItem) -> Object:
    """A path of an OpenAPI v3 document."""
    common = _common(item.operations)
    made: Object = {}
    for operation in item.operations:
        made[operation.method] = _operation_v3(operation, common)
    if common:
        made["parameters"] = [_parameter_v3(parameter) for parameter in common]
    return made


def path_item_v2(item: PathItem, shared: Object) -> Object:
    """A path of the OpenAPI v2 document; puts the parameters that it shares with others into `shared`."""
    common = _common(item.operations)
    made: Object = {}
    for operation in item.operations:
        made[operation.method] = _operation_v2(operation, common, shared)
    if common:
        made["parameters"] = [_parameter_v2(parameter, shared) for parameter in common]
    return made


def _common(operations: Sequence[Operation]) -> list[Parameter]:
    """What all operations of a path take is said once, of the path."""
    first, *others = operations
    common = [item for item in first.parameters if all(item in other.parameters for other in others)]
    return _sorted(common)


def _sorted(parameters: Sequence[Parameter]) -> list[Parameter]:
    return sorted(parameters, key=lambda item: (item.name, not item.in_path))


def _own(operation: Operation, common: Sequence[Parameter]) -> list[Parameter]:
    return _sorted([item for item in operation.parameters if item not in common])


def _extensions(operation: Operation) -> Object:
    if operation.kind is None:
        return {}
    kind = operation.kind
    return {
        "x-kubernetes-action": operation.action,
        "x-kubernetes-group-version-kind": {
            "group": kind.group,
            "version": kind.version,
            "kind": kind.kind,
        },
    }


def _schema(definition: str, prefix: str) -> Object:
    return {"$ref": f"{prefix}{definition}"} if definition else {"type": "string"}


def _operation_v3(operation: Operation, common: Sequence[Parameter]) -> Object:
    made: Object = {"tags": [operation.tag], "operationId": operation.id}
    own = _own(operation, common)
    if own:
        made["parameters"] = [_parameter_v3(parameter) for parameter in own]
    if operation.body:
        content = {item: {"schema": _schema(operation.body, _V3_REF)} for item in operation.consumes}
        made["requestBody"] = {"content": content}
        if operation.body_required:
            made["requestBody"]["required"] = True
    responses: Object = {}
    for code, definition in operation.responses.items():
        content = {item: {"schema": _schema(definition, _V3_REF)} for item in operation.produces}
        responses[str(code)] = {"description": _REASONS[code], "content": content}
    responses["401"] = {"description": _REASONS[401]}
    return {**made, "responses": responses, **_extensions(operation)}


def _parameter_v3(parameter: Parameter) -> Object:
    made: Object = {"name": parameter.name, "in": "path" if parameter.in_path else "query"}
    if parameter.in_path:
        made["required"] = True
    made["schema"] = {"type": parameter.type, "uniqueItems": True}
    return made


def _operation_v2(operation: Operation, common: Sequence[Parameter], shared: Object) -> Object:
    made: Object = {}
    if operation.consumes:
        made["consumes"] = operation.consumes
    made["produces"] = operation.produces
    made["schemes"] = ["https"]
    made["tags"] = [operation.tag]
    made["operationId"] = operation.id
    own = [_parameter_v2(parameter, shared) for parameter in _own(operation, common)]
    if operation.body:
        own.insert(0, _body_v2(operation, shared))
    if own:
        made["parameters"] = own
    responses: Object = {}
    for code, definition in operation.responses.items():
        responses[str(code)] = {"description": _REASONS[code], "schema": _schema(definition, _V2_REF)}
    responses["401"] = {"description": _REASONS[401]}
    return {**made, "responses": responses, **_extensions(operation)}


def _body_v2(operation: Operation, shared: Object) -> Object:
    body: Object = {"name": "body", "in": "body"}
    if operation.body_required:
        body["required"] = True
    body["schema"] = _schema(operation.body, _V2_REF)
    suffix = _SHARED_BODIES.get(operation.body)
    return body if suffix is None else _reference(f"body-{suffix}", body, shared)


def _parameter_v2(parameter: Parameter, shared: Object) -> Object:
    made: Object = {"uniqueItems": True, "type": parameter.type, "name": parameter.name}
    made["in"] = "path" if parameter.in_path else "query"
    if parameter.in_path:
        made["required"] = True
    return _reference(f"{parameter.name}-{parameter.shared}", made, shared) if parameter.shared else made


def _reference(name: str, parameter: Object, shared: Object) -> Object:
    shared[name] = parameter
    return {"$ref": f"#/parameters/{name}"}
