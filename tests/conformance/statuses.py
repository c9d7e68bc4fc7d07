"""Statuses as the API writes them, compared whole."""

from __future__ import annotations

import re
from typing import Any

from tests.conformance.client import Response

__all__ = [
    "MODIFIED",
    "assert_conflict",
    "assert_failure",
    "assert_invalid",
    "assert_patch_refused",
    "assert_too_large",
    "cause",
    "failure",
    "not_found",
]


MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"
"""Why a write with an old revision conflicts."""


def failure(
    code: int, reason: str | None, message: str, details: dict[str, Any] | None = None
) -> dict[str, Any]:
    """A Status of a failed request."""
    made: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
    }
    if reason is not None:
        made["reason"] = reason
    if details is not None:
        made["details"] = details
    return {**made, "code": code}


def assert_failure(
    response: Response, code: int, reason: str | None, message: str, details: dict[str, Any] | None = None
) -> None:
    """The answer has this code, and its body is this Status and nothing more.

    Where kubewright words a message in its own way (`OWN_WORDS`), only its own server may.
    """
    body = response.json()
    if not is_from_real_server(response) and any(each.search(message) for each in OWN_WORDS):
        assert body["message"]
        message = body["message"]
    assert body == failure(code, reason, message, details)
    assert response.status == code


def is_from_real_server(response: Response) -> bool:
    """Whether a real kube-apiserver has answered: it names the flow schema that it served the request by."""
    return response.headers["X-Kubernetes-Pf-Flowschema-Uid"] is not None


OWN_WORDS = [
    re.compile(pattern)
    for pattern in (
        r"^unable to parse requirement: |^found '.*', expected: ",
        r"^invalid selector: ",
        r"illegal base64 data",
        r"^failed to create typed patch object .*: expected ",
        r"^the server rejected our request due to an error in our request$",
        r"does not appear to be a protobuf message|unexpected EOF|empty data",
        r"^406: Not Acceptable",
        r'^no kind "Pod" is registered',
        r"^the API version in the data \(apiextensions.k8s.io/v1beta1\)",
    )
]
"""Messages of kube-apiserver for which kubewright's server has words of its own: see "wording" and "v1beta1
definitions" in docs/server-differences.md."""


def cause(reason: str, message: str, field: str) -> dict[str, str]:
    """A cause of an Invalid status."""
    return {"reason": reason, "message": message, "field": field}


def assert_invalid(response: Response, qualified_kind: str, name: str, *causes: dict[str, str]) -> None:
    """422 with these causes, and the message that is made of them; the kind is `Kind` or `Kind.group`.

    Upstream checks some things twice, so that causes may be repeated; in the message each stands once.
    """
    kind, _, group = qualified_kind.partition(".")
    texts = list(dict.fromkeys(f"{each['field']}: {each['message']}" for each in causes))
    told = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    details: dict[str, Any] = {"name": name, "group": group, "kind": kind, "causes": list(causes)}
    details = {key: value for key, value in details.items() if value}
    assert_failure(response, 422, "Invalid", f'{qualified_kind} "{name}" is invalid: {told}', details)


def not_found(resource: str, name: str, group: str = "") -> dict[str, Any]:
    """404 for an object."""
    qualified = f"{resource}.{group}" if group else resource
    details = {"name": name, "group": group, "kind": resource} if group else {"name": name, "kind": resource}
    return failure(404, "NotFound", f'{qualified} "{name}" not found', details)


def assert_too_large(response: Response, revision: int) -> None:
    """504: the revision asked for is not there yet."""
    body = response.json()
    start = f"Timeout: Too large resource version: {revision}, current: "
    assert re.fullmatch(re.escape(start) + r"\d+", body.pop("message"))
    details = {
        "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
        "retryAfterSeconds": 1,
    }
    expected = failure(504, "Timeout", "", details)
    del expected["message"]
    assert body == expected
    assert response.status == 504
    assert response.headers["Retry-After"] == "1"


def assert_conflict(response: Response, qualified_resource: str, name: str, why: str = MODIFIED) -> None:
    """409: the object is not what the request took it for, which is `resources` or `resources.group`."""
    resource, _, group = qualified_resource.partition(".")
    details = {"name": name, "group": group, "kind": resource} if group else {"name": name, "kind": resource}
    message = f'Operation cannot be fulfilled on {qualified_resource} "{name}": {why}'
    assert_failure(response, 409, "Conflict", message, details)


def assert_patch_refused(response: Response, start: str, end: str) -> None:
    """422 for a patch that does not lead to an object of the kind; the middle is what it led to."""
    body = response.json()
    (only,) = body["details"]["causes"]
    assert only["message"].startswith(start)
    assert only["message"].endswith(end)
    expected = cause("FieldValueInvalid", only["message"], "patch")
    message = f' "" is invalid: patch: {only["message"]}'
    assert_failure(response, 422, "Invalid", message, {"causes": [expected]})
