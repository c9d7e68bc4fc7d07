"""Random bodies of any built-in kind: good ones, and ones with something odd in them."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Final

from kubewright.models.go_structs import KINDS, NAMED, STRUCTS
from kubewright.server.wire.go_special import GoIntOrString, GoQuantity, GoRaw, GoTime, GoUnion
from kubewright.server.wire.go_table import GoTypes
from kubewright.server.wire.go_types import (
    GoBool,
    GoBytes,
    GoFloat,
    GoInt,
    GoMap,
    GoPointer,
    GoSlice,
    GoString,
    GoStruct,
    GoType,
)

__all__ = ["ALL_KINDS", "Bodies"]

TYPES: Final = GoTypes(STRUCTS, NAMED)

ALL_KINDS: Final[Sequence[tuple[str, str]]] = [
    (api_version or "v1", kind) for api_version, kinds in KINDS.items() for kind in kinds
]

_STRINGS: Final = [
    '""',
    '"a"',
    '"web"',
    '"\\u003cb\\u003e"',
    '"a:b"',
    '"x\\":y"',
    '"\\u0022\\u003a"',
    '"é"',
    '"\\ud83d\\ude00"',
    '" : "',
]
_ODD_STRINGS: Final = ['"\\ud800"', '"\\udc00x"', '"\\ud800\\u0041"', '"\\u0000"', '"\\/"']
_QUANTITIES: Final = [
    '"1"',
    '"1000m"',
    '"0"',
    '"100Mi"',
    '"1.5Gi"',
    '"1e3"',
    "1",
    "250",
    '"1024Ki"',
    '"0.5"',
    '" 2 "',
    '"-3k"',
    '"1E"',
]
_ODD_QUANTITIES: Final = [
    '""',
    '"x"',
    '"1x"',
    '"1mm"',
    "1.5",
    "1e2",
    "true",
    "[]",
    "{}",
    "null",
    '"1.2.3"',
    '"."',
    '"Ki"',
    '"+"',
    '"1 "',
    '"1ee"',
    '"1e"',
    '"1Mi3"',
    '"--1"',
    "1E3",
    "-0",
    "0.001",
    '"1i"',
    '"5e-3"',
]
_TIMES: Final = [
    '"2026-05-03T09:14:27Z"',
    '"2026-05-03T09:14:27+02:00"',
    '"2024-02-29T23:59:59.123456789-07:30"',
]
_MICRO_TIMES: Final = ['"2026-05-03T09:14:27.123456Z"', '"2026-05-03T09:14:27.000000+02:00"']
_ODD_TIMES: Final = [
    '""',
    '"x"',
    "5",
    "true",
    "[]",
    "{}",
    '"0001-01-01T00:00:00Z"',
    '"0001-01-01T00:00:00.000000Z"',
    '"2026-05-03"',
    '"2026-05-03T09:14:27"',
    '"2026-13-03T09:14:27Z"',
    '"2026-02-30T09:14:27Z"',
    '"2026-05-03T25:14:27Z"',
    '"2026-05-03T09:60:27Z"',
    '"2026-05-03T09:14:61Z"',
    '"2026-05-03T9:14:27Z"',
    '"2026-05-03T09:14:27+2:00"',
    '"2026-05-03T09:14:27+25:00"',
    '"2026-05-03T09:14:27+02:61"',
    '"2026-05-03T09:14:27Zx"',
    '"2026-05-03 09:14:27Z"',
    '"2026-05-03T09:14:27,5Z"',
    '"2026-05-03T09:14:27.Z"',
    '"2026-05-03T09:14:27.123Z"',
    '"26-05-03T09:14:27Z"',
    '"2026-5-03T09:14:27Z"',
    '"2026-05-03T09:14:27é"',
    '"2026-00-03T09:14:27Z"',
    '"2026-05-00T09:14:27Z"',
    '"2026-05-03T09:14:27.123456"',
    '"\\"\\\\\\n"',
    '"2026-05-03T09:14:27+0a:00"',
    '"2026-05-03T09:14:27.12345aZ"',
    '"2026-05-03T09:14:27.1234567Z"',
    '"2026-05-03T09:14:27x02:00"',
    '"2026-05-03T09:14:27.-00001Z"',
    '"2026-05-03T09:14:27+02.00"',
]
_INTEGERS: Final = ["0", "1", "-1", "42", "2147483647", "-2147483648", "-0"]
_ODD_INTEGERS: Final = [
    "1.0",
    "1e3",
    "2147483648",
    "-2147483649",
    "9223372036854775807",
    "9223372036854775808",
    "1.5",
    "123456789012345678901234567890",
    "1E400",
]
_BASE64: Final = ['""', '"YQ=="', '"YWI="', '"YWJj"', '"YR=="']
_ODD_BASE64: Final = [
    '"YQ"',
    '"Y"',
    '"YQ="',
    '"YQ==\\n"',
    '"Y\\nQ=="',
    '"Y Q="',
    '"_-8="',
    '"YQ==="',
    '"====="',
    '"YWJjYWJj!"',
    "[97]",
    "[97,300]",
    "[null]",
    '"YWJjYQ=a"',
    '"YWJjYQ=\\r\\n"',
    '"é"',
    '"YQ=\\n="',
    '"="',
    '"YWJjZGVmZ2hp\\n"',
]
_RAW: Final = [
    "{}",
    '{"a":1}',
    '{"f:a":{".":{}}}',
    "[]",
    '[1,"a",null]',
    '"x"',
    "5",
    "true",
    "1.5",
    '{"a":{"a":[{}]}}',
    "1e3",
]
_ANYTHING: Final = [
    "null",
    "5",
    '"x"',
    "true",
    "{}",
    "[]",
    "1.5",
    '{"a":1}',
    '["a"]',
    "[{}]",
    "[null]",
    "-1",
    "false",
]


class Bodies:
    """Makes bodies; `oddness` is how likely each value is replaced by something odd."""

    def __init__(self, chance: random.Random, oddness: float) -> None:
        self._chance = chance
        self._oddness = oddness

    def body(self, api_version: str, kind: str) -> bytes:
        """A body of a kind."""
        name = KINDS.get(api_version, {}).get(kind) or KINDS[""][kind]
        members = [("apiVersion", json.dumps(api_version)), ("kind", json.dumps(kind))]
        chance = self._chance
        if chance.random() < 0.2:
            members.pop(chance.randrange(2))
        if chance.random() < 0.1:
            members.reverse()
        rest = [
            member
            for member in self._members(TYPES.struct(name), 0)
            if member[0] not in {"apiVersion", "kind"}
        ]
        text = self._object(members + rest)
        if self._odd() and chance.random() < 0.3:
            data = bytearray(text.encode())
            place = chance.randrange(len(data))
            data[place : place + chance.randrange(2)] = chance.choice(
                [b"\xff", b"{", b"}", b",", b"", b'"', b"\\"]
            )
            return bytes(data)
        return text.encode()

    def _odd(self) -> bool:
        return self._chance.random() < self._oddness

    def _object(self, members: list[tuple[str, str]]) -> str:
        chance = self._chance
        if self._odd():
            key = chance.choice(
                ["foo", "$patch", "Name", "metadata", "name", "", "é", "a.b", 'q"', "Spec", "kinD"]
            )
            members.insert(chance.randrange(len(members) + 1), (key, chance.choice(_ANYTHING)))
        if members and self._odd():
            members.insert(chance.randrange(len(members) + 1), chance.choice(members))
        colon = chance.choice([":"] * 8 + [": ", " :", "\n : "]) if self._oddness else ":"
        return "{" + ",".join(f"{json.dumps(key)}{colon}{value}" for key, value in members) + "}"

    def _members(self, struct: GoStruct, depth: int) -> list[tuple[str, str]]:
        chance = self._chance
        wanted = 0.5 if depth < 2 else 0.25 if depth < 6 else 0.08
        members = [
            (field.name, self._value(field.type, depth + 1))
            for field in struct.fields
            if chance.random() < wanted
            and not (depth > 9 and not isinstance(field.type, GoString | GoInt | GoBool))
        ]
        if members and self._odd() and chance.random() < 0.3:
            name = chance.choice(members)[0]
            members.append((name, self._value(struct.by_name[name].type, depth + 1)))
        return members

    def _value(self, of: GoType, depth: int) -> str:
        chance = self._chance
        if self._odd() and chance.random() < 0.5:
            return chance.choice(_ANYTHING)
        odd = self._odd()
        if isinstance(of, GoPointer):
            return self._value(of.to, depth)
        if isinstance(of, GoStruct):
            return self._object(self._members(of, depth))
        if isinstance(of, GoSlice):
            return f"[{','.join(self._value(of.of, depth + 1) for _ in range(self._size(depth)))}]"
        if isinstance(of, GoMap):
            keys = chance.sample(["cpu", "memory", "a", "b/c", "x.y", ""], self._size(depth))
            return self._object([(key, self._value(of.of, depth + 1)) for key in keys])
        if isinstance(of, GoUnion):
            if of.others is None and chance.random() < 0.5:
                return chance.choice(["true", "false"])
            if of.others is not None and chance.random() < 0.5:
                return self._value(of.others, depth + 1)
            return self._value(of.schema, depth)
        return chance.choice(self._choices(of, odd))

    def _size(self, depth: int) -> int:
        return self._chance.choice([0, 1, 1, 2] if depth < 5 else [0, 0, 1])

    @staticmethod
    def _choices(of: GoType, odd: bool) -> Sequence[str]:
        if isinstance(of, GoTime):
            return _ODD_TIMES if odd else _MICRO_TIMES if of.name == "v1.MicroTime" else _TIMES
        if isinstance(of, GoQuantity):
            return _ODD_QUANTITIES if odd else _QUANTITIES
        if isinstance(of, GoIntOrString):
            return _ODD_INTEGERS if odd else [*_INTEGERS, *_STRINGS]
        if isinstance(of, GoRaw):
            return _RAW
        if isinstance(of, GoBytes):
            return _ODD_BASE64 if odd else _BASE64
        if isinstance(of, GoFloat):
            return [*_INTEGERS, *_ODD_INTEGERS] if odd else ["1.5", "1", "1.0", "-2.25", "1e3"]
        if isinstance(of, GoInt):
            return _ODD_INTEGERS if odd else _INTEGERS
        if isinstance(of, GoBool):
            return ["true", "false"]
        return _ODD_STRINGS if odd else _STRINGS
