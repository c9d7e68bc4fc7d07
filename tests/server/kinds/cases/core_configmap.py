"""ConfigMaps: keys, sizes, immutability."""

from __future__ import annotations

from typing import Any

from tests.server.kinds.harness import Case


def config_map(**fields: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "core-case"}, **fields}


BAD_KEYS = ["", "a b", ".", "..", "..a", "a/b", "ä", "x" * 254, "x" * 253, "a", "A_b.c-1", "a\n", ".a", "-"]
DATA = {"a": "1"}

CASES = [
    Case("minimal", config_map()),
    Case("full", config_map(data={"a": "1", "b": ""}, binaryData={"c": "AAEC"}, immutable=True)),
    Case("mutable", config_map(immutable=False, data=DATA)),
    *[Case(f"data key {index}", config_map(data={key: "x"})) for index, key in enumerate(BAD_KEYS)],
    *[
        Case(f"binary key {index}", config_map(binaryData={key: "AA=="}))
        for index, key in enumerate(BAD_KEYS)
    ],
    Case("key in both", config_map(data=DATA, binaryData={"a": "AA=="})),
    Case("too large", config_map(data={"a": "x" * (1024 * 1024 + 1)})),
    Case("too large binary", config_map(binaryData={"a": "AAAA" * 349525 + "AAA="})),
    Case("too large together", config_map(binaryData={"a": "AAAA" * 349525 + "AA=="}, data=DATA)),
    Case("update", config_map(data={"b": "2"}), config_map(data=DATA)),
    Case("update to bad key", config_map(data={"a b": "2"}), config_map(data=DATA)),
    Case("update to immutable", config_map(data={"b": "2"}, immutable=True), config_map(data=DATA)),
    Case("immutable same", config_map(data=DATA, immutable=True), config_map(data=DATA, immutable=True)),
    Case("immutable unset", config_map(data=DATA), config_map(data=DATA, immutable=True)),
    Case("immutable to false", config_map(data=DATA, immutable=False), config_map(data=DATA, immutable=True)),
    Case(
        "immutable data", config_map(data={"a": "2"}, immutable=True), config_map(data=DATA, immutable=True)
    ),
    Case("immutable data gone", config_map(immutable=True), config_map(data=DATA, immutable=True)),
    Case(
        "immutable binary data",
        config_map(binaryData={"a": "AA=="}, immutable=True),
        config_map(binaryData={"a": "AQ=="}, immutable=True),
    ),
    Case(
        "immutable all at once",
        config_map(data={"b c": ""}, binaryData={"a": "AA=="}),
        config_map(binaryData={"b": "AQ=="}, data=DATA, immutable=True),
    ),
]
