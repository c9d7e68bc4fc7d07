"""Gives every decoder input that nests without end, in a process that may not take much memory.

Run by `test_depth`: prints which input was not refused with an error of kubewright.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from typing import Any

from kubewright.machinery import codec, patch, yaml
from kubewright.machinery.apply import FieldSet
from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.field_selectors import parse_field_selector
from kubewright.machinery.label_selectors import parse_label_selector
from kubewright.machinery.unstructured import Unstructured
from kubewright.machinery.watch import WatchDecoder
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from kubewright.models.apps_v1 import ControllerRevision
from kubewright.server.wire import read_json, wire_type

MEMORY = 1 << 30
DEPTHS = (501, 5_000, 30_000, 200_000)
"""Just too deep, also for YAML; deeper than Python 3.11 decodes; as deep as 3.14 does; deeper than any."""


def deep_data(depth: int) -> Any:
    """Plain data of that depth, made without recursion."""
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    return value


def endless() -> Any:
    """Data that has no end: a list that holds itself twice."""
    value: list[Any] = []
    value += [value, value]
    return value


def inputs(depth: int) -> dict[str, Callable[[], object]]:
    """What to decode, by name."""
    lists = b"[" * depth + b"]" * depth
    objects = b'{"a":' * depth + b"1" + b"}" * depth
    revision = (
        b'{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{},"revision":1,"data":%b}' % objects
    )
    unknown = (
        b'{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"new":%b},"revision":1}' % objects
    )
    schema = b'{"items":' * depth + b'{"type":"object"}' + b"}" * depth
    version = b'{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":%b}}' % schema
    definition = (
        b'{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{},"spec":'
        b'{"group":"g","names":{"kind":"K","plural":"ks"},"scope":"Cluster","versions":[%b]}}' % version
    )
    built_in = wire_type("apps/v1", "ControllerRevision")
    event = b'{"type":"ADDED","object":%b}' % revision
    decoded: dict[str, Callable[[], object]] = {
        "lists": lambda: codec.decode_plain(lists),
        "objects": lambda: codec.decode_plain(objects),
        "lists without end": lambda: codec.decode_plain(b"[" * depth),
        "field of any shape": lambda: ControllerRevision.from_json(revision).data,
        "unknown field": lambda: ControllerRevision.from_json(unknown),
        "schema": lambda: CustomResourceDefinition.from_json(definition).spec.versions[0],
        "watch": lambda: WatchDecoder(ControllerRevision).decode(event).object.data,
        "untyped": lambda: Unstructured.from_json(revision)["data"],
        "yaml flow": lambda: yaml.load("[" * depth),
        "yaml block": lambda: yaml.load("- " * depth),
        "fields": lambda: FieldSet.from_json(b'{"f:a":' * depth + b"{}" + b"}" * depth),
        "label selector": lambda: parse_label_selector("a in (" * depth),
        "field selector": lambda: parse_field_selector("(" * depth),
        "body of a built-in kind": lambda: built_in.read(revision, strict=True),
        "body of a custom resource": lambda: read_json(revision, strict=True),
    }
    if depth <= DEPTHS[1]:  # deeper data could not even be freed on some Pythons
        data = deep_data(depth)
        decoded |= {
            "dict": lambda: ControllerRevision.from_dict({"revision": 1, "data": data}).data,
            "merge patch": lambda: patch.apply_merge_patch({"a": 1}, data),
            "JSON patch": lambda: patch.apply_json_patch({}, [{"op": "add", "path": "/a", "value": data}]),
        }
    return decoded


def endless_inputs() -> dict[str, Callable[[], object]]:
    """What to do with data that has no end, by name."""
    data = endless()
    revision = ControllerRevision(revision=1, data=data)
    untyped = Unstructured(api_version="v1", kind="A", members={"spec": data})
    return {
        "encode": lambda: codec.encode(data),
        "to_plain": lambda: codec.to_plain(data),
        "yaml": lambda: yaml.dump(data),
        "to_json": revision.to_json,
        "to_dict": revision.to_dict,
        "copy": revision.copy,
        "untyped to_json": untyped.to_json,
        "untyped copy": untyped.copy,
        "from_dict": lambda: Unstructured.from_dict({"apiVersion": "v1", "kind": "A", "spec": data}),
        "merge patch": lambda: patch.apply_merge_patch({}, {"a": data}),
    }


def main() -> None:
    """Try all of it."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    cases = {f"{name}, {depth} levels": do for depth in DEPTHS for name, do in inputs(depth).items()}
    cases |= {f"{name}, endless": do for name, do in endless_inputs().items()}
    for name, do in cases.items():
        try:
            do()
        except KubewrightError:
            continue
        except BaseException as error:
            sys.stdout.write(f"{name}: {type(error).__name__}: {error}\n"[:200])
        else:
            sys.stdout.write(f"{name}: not refused\n")


if __name__ == "__main__":
    main()
