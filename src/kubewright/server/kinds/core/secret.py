"""The Secret kind."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, required, too_long
from kubewright.machinery.names import is_config_map_key
from kubewright.server.kinds.core.config_map import MAX_DATA_SIZE, decoded_length
from kubewright.server.kinds.kind import Context, Errors, Kind, Object
from kubewright.server.kinds.metadata_rules import validate_immutable

__all__ = ["SECRET"]

_IMMUTABLE: Final = "field is immutable when `immutable` is set"
_SERVICE_ACCOUNT_NAME: Final = "kubernetes.io/service-account.name"

# The key that holds a docker config, by the type of secret.
_DOCKER_KEYS: Final = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}


def _default(obj: Object) -> None:
    if not obj.get("type"):
        obj["type"] = "Opaque"
    texts = obj.pop("stringData", None)
    if texts:
        # Upstream's conversion: what is given as text wins.
        encoded = {key: b64encode(text.encode(errors="replace")).decode() for key, text in texts.items()}
        obj["data"] = (obj.get("data") or {}) | encoded


def _prepare_update(obj: Object, old: Object, context: Context) -> None:
    if not obj.get("type"):
        obj["type"] = old.get("type") or ""


def _validate(obj: Object) -> Errors:
    errors: Errors = []
    data: Mapping[str, str] = obj.get("data") or {}
    size = 0
    for key, value in data.items():
        errors += [invalid(f"data[{key}]", key, message) for message in is_config_map_key(key)]
        size += decoded_length(value or "")
    if size > MAX_DATA_SIZE:
        errors.append(too_long("data", MAX_DATA_SIZE))
    kind = obj.get("type")
    return errors if kind == "Opaque" else errors + _validate_type(kind or "", data, obj)


def _validate_type(kind: str, data: Mapping[str, str], obj: Object) -> Errors:
    if kind == "kubernetes.io/service-account-token":
        annotations = (obj.get("metadata") or {}).get("annotations") or {}
        if not annotations.get(_SERVICE_ACCOUNT_NAME):
            return [required(f"metadata.annotations[{_SERVICE_ACCOUNT_NAME}]")]
    elif kind in _DOCKER_KEYS:
        return _validate_docker_config(data, _DOCKER_KEYS[kind])
    elif kind == "kubernetes.io/basic-auth":
        if "username" not in data and "password" not in data:
            return [required("data[username]"), required("data[password]")]
    elif kind == "kubernetes.io/ssh-auth":
        if not data.get("ssh-privatekey"):
            return [required("data[ssh-privatekey]")]
    elif kind == "kubernetes.io/tls":
        return [required(f"data[{key}]") for key in ("tls.crt", "tls.key") if key not in data]
    return []


def _validate_docker_config(data: Mapping[str, str], key: str) -> Errors:
    from kubewright.server.kinds.core.go_json_errors import go_object_error  # noqa: PLC0415 - rare

    if key not in data:
        return [required(f"data[{key}]")]
    try:
        content = b64decode(data[key] or "")
    except ValueError:
        content = b""
    wrong = go_object_error(content)
    return [invalid(f"data[{key}]", "<secret contents redacted>", wrong)] if wrong else []


def _validate_update(obj: Object, old: Object) -> Errors:
    errors = validate_immutable(obj.get("type") or "", old.get("type") or "", "type")
    if old.get("immutable"):
        if not obj.get("immutable"):
            errors.append(forbidden("immutable", _IMMUTABLE))
        if (obj.get("data") or {}) != (old.get("data") or {}):
            errors.append(forbidden("data", _IMMUTABLE))
    return errors + _validate(obj)


def _warnings(obj: Object, old: Object | None) -> list[str]:
    if obj.get("type") != "kubernetes.io/tls":
        return []
    from kubewright.server.kinds.core.tls_key_pair import key_pair_error  # noqa: PLC0415 - rare

    data = obj.get("data") or {}
    wrong = key_pair_error(_decoded(data.get("tls.crt")), _decoded(data.get("tls.key")))
    return [wrong] if wrong else []


def _decoded(base64: str | None) -> bytes:
    try:
        return b64decode(base64 or "")
    except ValueError:
        return b""


def _fields(obj: Object) -> Mapping[str, str]:
    return {"type": obj.get("type") or ""}


SECRET: Final = Kind(
    metadata_checks=2,
    default=_default,
    prepare_update=_prepare_update,
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warnings,
    fields=_fields,
    resets=(),
)
