"""Request bodies read as Go's typed decoding reads them, at C speed where nothing is unusual.

`wire_type(api_version, kind).read(body, strict=...)` gives the object as Go would write it back, and what is
unknown or twice in it; `read_json` does the same for custom resources, which have no Go type.

How: `go_structs` is a generated table of upstream's structs. `structs` makes msgspec types from it, which
decode a good body in microseconds and refuse everything odd; `go_types` reads what they refuse, step by step
as Go does, with Go's errors. Both give the same object where both give one.
"""

from __future__ import annotations

from kubewright.server.wire.custom import read_json, read_metadata, read_value
from kubewright.server.wire.errors import WireError, WrongKind
from kubewright.server.wire.go_json import MAX_DEPTH
from kubewright.server.wire.wire_type import Read, WireType, wire_type

__all__ = [
    "MAX_DEPTH",
    "Read",
    "WireError",
    "WireType",
    "WrongKind",
    "read_json",
    "read_metadata",
    "read_value",
    "wire_type",
]
