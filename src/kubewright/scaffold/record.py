"""What a project was made of, kept in `.kubewright/project.json`; all scaffolded files follow from it."""

from __future__ import annotations

import json
from typing import Any, Final, Literal, TypeAlias

import msgspec

__all__ = [
    "RECORD_PATH",
    "ProjectRecord",
    "ScaffoldedKind",
    "WebhookPart",
    "decoded_record",
    "encoded_record",
]

RECORD_PATH: Final = ".kubewright/project.json"
"""Where a project has its record, from its folder."""

WebhookPart: TypeAlias = Literal["defaulting", "validation", "conversion"]


class ScaffoldedKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A version of a kind that `create api` was asked for."""

    group: str
    """As it was given, such as `zhhnzw`; with the domain of the project it is the group of the API."""
    version: str
    kind: str
    plural: str
    """In lower case, as it is in paths."""
    namespaced: bool = True
    controller: bool = True
    """Whether a controller was asked for; one reconciles all versions of a kind."""
    webhooks: tuple[WebhookPart, ...] = ()


class ProjectRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A project as its scaffold knows it."""

    name: str
    """Of the project, such as `operator-demo`: a DNS label."""
    package: str
    """By which it is imported, such as `operator_demo`."""
    domain: str
    """What API groups end with, such as `mock.com`."""
    kubewright: str
    """The version of kubewright whose scaffold the files are from."""
    wheel: str = ""
    """The file in `vendor` that kubewright is installed from; empty where a package index has the version."""
    kinds: tuple[ScaffoldedKind, ...] = ()
    """In the order in which they were created."""

    def api_group(self, kind: ScaffoldedKind) -> str:
        """The group of a kind in the API, such as `zhhnzw.mock.com`."""
        return f"{kind.group}.{self.domain}" if kind.group else self.domain


def encoded_record(record: ProjectRecord) -> bytes:
    """The content of the file of a record.

    A kind is one line: where two branches add one each, git shows whole kinds as a conflict, and not parts.
    """
    lines = [_line(each) for each in record.kinds]
    whole = msgspec.json.format(msgspec.json.encode(msgspec.structs.replace(record, kinds=())), indent=2)
    listed = ",\n    ".join(lines)
    kinds = f"[\n    {listed}\n  ]" if lines else "[]"
    return whole.removesuffix(b"[]\n}") + f"{kinds}\n}}\n".encode()


def decoded_record(content: bytes) -> ProjectRecord:
    """The record of a file. Raises msgspec.MsgspecError, also where an object has a member twice."""
    record = msgspec.json.decode(content, type=ProjectRecord)
    json.loads(content, object_pairs_hook=_refuse_twice)
    return record


def _line(kind: ScaffoldedKind) -> str:
    return msgspec.json.format(msgspec.json.encode(kind), indent=0).decode()


def _refuse_twice(pairs: list[tuple[str, Any]]) -> None:
    # The last one would be taken: of two kinds that were merged by hand into one object, one would be lost.
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise msgspec.ValidationError(f"an object has the member {name!r} twice")
