"""Where two answers differ, leaving out what docs/server-differences.md says."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tests.conformance.client import JSON, Response
from tests.conformance.fuzz.custom_kinds import GROUP
from tests.conformance.fuzz.normalise import NEW_REVISION, SAME_REVISION, Normaliser
from tests.conformance.statuses import OWN_WORDS

__all__ = ["Answer", "answer_of", "differences"]

OUR_WORDS = [
    *OWN_WORDS,
    *(
        re.compile(pattern)
        for pattern in (
            # Applied objects of the wrong type, and patches that do not apply.
            r"^failed to convert new object[ :]",
            r"^failed to create typed patch object [^:]*: errors:",
            r'Invalid value: "map\[',
            r"^Invalid JSON Patch$",
            r"^json: cannot unmarshal \w+ into Go value of type jsonpatch\.Patch$",
            r"^no kind is registered for the type v1\.Scale in scheme",
            r"^failed to create typed patch object [^:]*: .*: field not declared in schema$",
            r"^failed to create typed patch object [^:]*: .*: associative list with ",
            # A Go map decides which of several fields is told.
            r"^\.[^:]*: field not declared in schema$",
        )
    ),
]
"""See "wording" in docs/server-differences.md."""


@dataclass(frozen=True)
class Answer:
    """An answer in the form in which it is compared."""

    code: int
    content_type: str
    warnings: list[str]
    body: Any

    def __str__(self) -> str:
        body = self.body if isinstance(self.body, str) else json.dumps(self.body, ensure_ascii=False)
        return "\n".join(
            [f"{self.code} {self.content_type}", *(f"warning: {w}" for w in self.warnings), body]
        )


def answer_of(response: Response, normaliser: Normaliser) -> Answer:
    """The answer without what differs from server to server."""
    is_json = response.content_type == JSON
    body = normaliser.answer(json.loads(response.body)) if is_json else normaliser.text(response.text)
    if isinstance(body, dict) and body.get("kind") == "Status" and "causes" in body.get("details", {}):
        body["details"]["causes"] = _once(body["details"]["causes"])
        if body["details"].get("group") == GROUP:
            _sort_conflicts(body)
            body["message"] = ""
    if isinstance(body, dict) and str(body.get("message", "")).startswith("Apply failed with "):
        _sort_conflicts(body)
    warnings = [normaliser.text(each) for each in response.warnings]
    return Answer(response.status, response.content_type, warnings, body)


def differences(real: Answer, ours: Answer) -> list[str]:
    """Lines that say where they differ, none when they do not."""
    found = [
        f"{name}: real {getattr(real, name)!r}, ours {getattr(ours, name)!r}"
        for name in ("code", "content_type", "warnings")
        if getattr(real, name) != getattr(ours, name)
    ]
    if _is_applied_type(real, ours):
        return []
    _compare(_comparable(real, real), _comparable(ours, real), "", found)
    return found


def _is_applied_type(real: Answer, ours: Answer) -> bool:
    """A value of a wrong type that is applied: see "wording"."""
    if real.code != 500 or ours.code not in {409, 422} or not _is_failure(real.body):
        return False
    return bool(real.body["message"].startswith("failed to create typed patch object"))


def _comparable(answer: Answer, real: Answer) -> Any:
    """The body, without the messages for which kubewright has its own words."""
    if not _is_failure(real.body) or not _is_failure(answer.body):
        return answer.body
    if not any(each.search(real.body["message"]) for each in OUR_WORDS):
        return answer.body
    body = {key: value for key, value in answer.body.items() if key != "message"}
    details = dict(body.get("details", {}))
    causes = [{k: v for k, v in each.items() if k != "message"} for each in details.get("causes", [])]
    return {**body, "details": {**details, "causes": causes}}


def _once(causes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Upstream checks some things several times; how often differs from kind to kind."""
    return [each for index, each in enumerate(causes) if each not in causes[:index]]


def _sort_conflicts(body: dict[str, Any]) -> None:
    """Upstream tells them, and what a schema says of fields, in the order of a Go map, which is none."""
    body["details"]["causes"].sort(key=lambda each: (each["field"], each["message"]))
    body["message"] = "\n".join(sorted(body["message"].splitlines()))


def _is_failure(body: Any) -> bool:
    return isinstance(body, dict) and body.get("kind") == "Status" and "message" in body


def _compare(real: Any, ours: Any, path: str, found: list[str]) -> None:
    if isinstance(real, dict) and isinstance(ours, dict):
        for key in sorted(real.keys() | ours.keys()):
            inner = f"{path}.{key}" if path else key
            if key not in ours:
                found.append(f"{inner}: real {json.dumps(real[key])}, ours has none")
            elif key not in real:
                found.append(f"{inner}: real has none, ours {json.dumps(ours[key])}")
            else:
                _compare(real[key], ours[key], inner, found)
    elif isinstance(real, list) and isinstance(ours, list) and len(real) == len(ours):
        for index, (one, other) in enumerate(zip(real, ours, strict=True)):
            _compare(one, other, f"{path}[{index}]", found)
    elif not _equal(real, ours):
        found.append(f"{path}: real {json.dumps(real)}, ours {json.dumps(ours)}")


def _equal(real: Any, ours: Any) -> bool:
    if type(real) is type(ours) and real == ours:
        return True
    # "null lists" and "idle writes" in docs/server-differences.md.
    return (real, ours) in ((None, []), ([], None)) or (real, ours) == (NEW_REVISION, SAME_REVISION)
