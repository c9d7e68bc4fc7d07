"""YAML and protobuf that nobody would send."""

from __future__ import annotations

import pytest

from kubewright.testing import Cluster
from tests.server.bad_input.conftest import CONFIG_MAPS, config_map, cpu_budget
from tests.server.raw_http import Connection, ask, failure

DRY = f"{CONFIG_MAPS}?dryRun=All"
YAML = {"Content-Type": "application/yaml"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}
PROTOBUF = {"Content-Type": "application/vnd.kubernetes.protobuf"}


def laughs(levels: int, width: int) -> str:
    """A YAML document whose aliases expand to width to the power of levels."""
    first = f"l0: &l0 [{', '.join(['x'] * width)}]"
    others = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join([first, *others])


def mapped_laughs(levels: int, width: int) -> str:
    """The same with mappings and merge keys."""
    lines = ["m0: &m0 {a: x}"]
    for level in range(1, levels):
        members = ", ".join(f"k{number}: *m{level - 1}" for number in range(width))
        lines.append(f"m{level}: &m{level} {{<<: *m{level - 1}, {members}}}")
    return "\n".join(lines)


class TestYAML:
    @pytest.mark.parametrize(
        "text",
        [
            laughs(9, 9),
            laughs(3, 2_000),
            laughs(100, 2),
            mapped_laughs(9, 9),
            "a: &a {b: *a}",
            "&a [*a]",
            "*nothing",
            "<<: 1",
            "!!python/object/apply:os.system ['true']",
            "!!binary zzz",
            "!unknown x",
            "a: \0",
            "{a: b}: 1",
            "[1]: 2",
            "null: 1",
            "@a",
            "\ta: 1",
            "{a: [",
            "- " * 3_000,
            "? " * 3_000,
            "[" * 100_000,
            "{a: " * 100_000,
            "just text",
            "[1, 2]",
            "metadata: {generation: .nan}",
            "metadata: {generation: .inf}",
            "metadata: {generation: " + "9" * 5_000 + "}",
            "kind: [ConfigMap]",
            "%YAML 9.9\n--- a",
        ],
        ids=lambda text: repr(text[:30]),
    )
    def test_what_does_not_decode(self, server: Cluster, existing: str, text: str) -> None:
        with cpu_budget(8), Connection(server) as connection:
            failure(connection.request("POST", DRY, text.encode(), YAML), 400)
            failure(connection.request("PATCH", f"{existing}?fieldManager=me", text.encode(), APPLY), 400)

    def test_a_bomb_below_the_limit_costs_little(self, server: Cluster) -> None:
        text = "a: &a [" + "x," * 30_000 + "x]\nb: [" + "*a," * 30 + "*a]\n"
        with cpu_budget(8):
            failure(ask(server, "POST", DRY, text.encode(), YAML), 400, 422)

    @pytest.mark.parametrize(
        "body", [b"\xff", b"\xc3\x28", b"a: \xed\xa0\x80", b'a: "\\ud800"', b"\xfe\xff\x00"]
    )
    def test_no_utf8(self, server: Cluster, existing: str, body: bytes) -> None:
        with Connection(server) as connection:
            failure(connection.request("POST", DRY, body, YAML), 400)
            failure(connection.request("PATCH", f"{existing}?fieldManager=me", body, APPLY), 400)

    def test_apply_needs_a_manager_and_a_kind(self, server: Cluster, existing: str) -> None:
        with Connection(server) as connection:
            failure(connection.request("PATCH", existing, b"{}", APPLY), 422)
            for body in (b"{}", b"kind: Pod\napiVersion: v1", b"kind: ConfigMap\napiVersion: v2"):
                failure(connection.request("PATCH", f"{existing}?fieldManager=me", body, APPLY), 400)


def varint(number: int) -> bytes:
    """A number as protobuf has it."""
    digits = bytearray()
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes((*digits, number))


def field(number: int, data: bytes) -> bytes:
    """A field of a protobuf message that has a length."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def envelope(
    raw: bytes, *, api_version: bytes = b"v1", kind: bytes = b"ConfigMap", more: bytes = b""
) -> bytes:
    """runtime.Unknown behind its magic number."""
    return b"k8s\x00" + field(1, field(1, api_version) + field(2, kind)) + field(2, raw) + more


NAMED = field(1, field(1, b"a"))
"""A ConfigMap called a."""

DEEP = b""
for _ in range(3_000):
    DEEP = field(1, DEEP)


class TestProtobuf:
    def test_a_good_one_is_read(self, server: Cluster) -> None:
        answer = ask(server, "POST", DRY, envelope(NAMED), PROTOBUF)
        assert answer is not None
        assert answer.status == 201

    def test_every_prefix_is_refused(self, server: Cluster) -> None:
        whole = envelope(NAMED + field(2, field(1, b"key") + field(2, b"value")))
        with Connection(server) as connection:
            for end in range(len(whole) - 1):
                # Cut behind the envelope's type, it is an object without a name.
                failure(connection.request("POST", DRY, whole[:end], PROTOBUF), 400, 422)

    def test_every_byte_may_be_wrong(self, server: Cluster) -> None:
        whole = envelope(NAMED + field(2, field(1, b"key") + field(2, b"value")))
        with Connection(server) as connection:
            for position in range(len(whole)):
                for value in (0x00, 0x7F, 0x80, 0xFF):
                    body = whole[:position] + bytes((value,)) + whole[position + 1 :]
                    answer = connection.request("POST", DRY, body, PROTOBUF)
                    assert answer is not None
                    if answer.status != 201:
                        failure(answer, 400, 422)

    @pytest.mark.parametrize(
        "body",
        [
            b"k8s\x00",
            b"abc",
            b"",
            config_map("json"),
            b"k8s\x00\x0a\xff\xff\xff\xff\x0f",
            b"k8s\x00\x0a" + b"\xff" * 9 + b"\x01",
            b"k8s\x00" + b"\xff" * 20,
            b"k8s\x00\x00",
            b"k8s\x00" + b"\x0b" * 100_000,
            b"k8s\x00\x09abc",
            envelope(DEEP),
            envelope(b"\xff" * 50),
            envelope(b"\x08\x01"),
            envelope(config_map("a")),
            envelope(NAMED, kind=b"Pod"),
            envelope(NAMED, kind=b"\xff"),
            envelope(NAMED, kind=b"Nope"),
            envelope(NAMED + field(2, b"\xff")),
            envelope(NAMED + field(2, DEEP)),
        ],
        ids=lambda body: f"{len(body)} {body[:24]!r}",
    )
    def test_garbage(self, server: Cluster, existing: str, body: bytes) -> None:
        with Connection(server) as connection:
            failure(connection.request("POST", DRY, body, PROTOBUF), 400, 422)
            if body:
                failure(connection.request("DELETE", f"{existing}?dryRun=All", body, PROTOBUF), 400)

    @pytest.mark.parametrize("part", [NAMED, b"\xf8\x7f\x01", field(2, b""), field(1, b"")])
    def test_the_same_field_again_and_again(self, server: Cluster, part: bytes) -> None:
        body = envelope(NAMED + part * (1_000_000 // len(part)))
        with cpu_budget(8):
            answer = ask(server, "POST", DRY, body, PROTOBUF)
        assert answer is not None
        assert answer.status in {201, 400, 422}
