"""Answers without what differs from one server to another: uids, revisions, times, generated names."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["NEW_REVISION", "SAME_REVISION", "Normaliser"]

NEW_REVISION = "<a new revision>"
SAME_REVISION = "<the same revision>"

_UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_TIME = re.compile(r"(?!2020)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
"""Times that a client sends are of 2020."""
_REVISION = re.compile(
    r"((?:ResourceVersion in (?:precondition|object meta)|resource version): "
    r"|ResourceVersion in (?:the precondition|record) \()(?!1\))\d+"
)
_ADDRESS = re.compile(r"\b10\.0\.0\.(?!0\b)\d{1,3}\b")
"""What a service is given when it does not ask for an address."""
_NODE_PORT = re.compile(r"(?<=:)3[0-2]\d{3}(?=/)|(?<=Duplicate value: )3[0-2]\d{3}\b")
_GENERATED = re.compile(r"(?<=\bgen\d-)[a-z0-9]{5}\b|(?<=\bgen\d\d-)[a-z0-9]{5}\b")
"""What the server adds to the beginning of a name."""
_PATCHED = re.compile(r'^((?: "" is invalid: patch: )?Invalid value: ")\{.*\}(": )', re.DOTALL)
"""What a patch led to, with keys in some order."""
_DIFF = re.compile(r"(?:(?<=previously negative\))|(?<=for bound claims))\n.*", re.DOTALL)
"""What an update of a pod would change, in the order of Go's fields."""
_AGE = re.compile(r"^(\d+[smhdy])+$")
_NODE_PORTS = range(30000, 32768)


class Normaliser:
    """For the answers of one server: it knows what that server has shown before."""

    def __init__(self, *, managers: bool = True) -> None:
        """`managers=False` leaves managedFields out."""
        self._managers = managers
        self._uids: dict[str, str] = {}
        self._revisions: dict[str, str] = {}

    def answer(self, body: Any) -> Any:
        """The body of an answer, with keys in order."""
        return self._value(body, "")

    def text(self, text: str) -> str:
        """A message, or any other text."""
        text = _UID.sub(self._uid, text)
        text = _REVISION.sub(r"\1<revision>", text)
        text = _NODE_PORT.sub("<port>", _ADDRESS.sub("<address>", _TIME.sub("<now>", text)))
        text = _DIFF.sub("<diff>", text)
        return _GENERATED.sub("<name>", _PATCHED.sub(r"\1<object>\2", text))

    def _uid(self, match: re.Match[str]) -> str:
        return self._uids.setdefault(match[0], f"<uid {len(self._uids)}>")

    def _value(self, value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return self._object(value)
        if isinstance(value, list):
            return self._list(value, key)
        if isinstance(value, str):
            return self.text(value)
        if key in {"nodePort", "healthCheckNodePort"} and value in _NODE_PORTS:
            return "<port>"
        return value

    def _object(self, value: dict[str, Any]) -> dict[str, Any]:
        made = {
            key: self._value(each, key)
            for key, each in sorted(value.items())
            if self._managers or key != "managedFields"
        }
        if "resourceVersion" in made:
            made["resourceVersion"] = self._revision(value)
        if made.get("continue"):
            made["continue"] = "<continue>"
        return made

    def _revision(self, metadata: dict[str, Any]) -> str:
        """Whether it is the one that the object had when it was last shown."""
        uid, revision = metadata.get("uid"), metadata["resourceVersion"]
        if not isinstance(uid, str) or not revision:
            return "<revision>" if revision else ""
        known = self._revisions.get(uid) == revision
        self._revisions[uid] = revision
        return SAME_REVISION if known else NEW_REVISION

    def _list(self, value: list[Any], key: str) -> list[Any]:
        if key == "managedFields":
            # Upstream sorts by time, in whole seconds, before it sorts by manager.
            entries = [{k: v for k, v in each.items() if k != "time"} for each in value]
            return sorted((self._value(each, "") for each in entries), key=_entry_order)
        if key == "columnDefinitions":
            value = [{k: v for k, v in each.items() if k != "description"} for each in value]
        if key == "cells":
            return [_AGE.sub("<age>", self.text(each)) if isinstance(each, str) else each for each in value]
        return [self._value(each, "") for each in value]


def _entry_order(entry: dict[str, Any]) -> tuple[str, ...]:
    return tuple(str(entry.get(key, "")) for key in ("operation", "manager", "subresource", "apiVersion"))
