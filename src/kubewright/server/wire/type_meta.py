"""What a body says of its own kind, as upstream finds it out before it decodes anything."""

from __future__ import annotations

from typing import Final, NamedTuple

from kubewright.server.wire.errors import WireError
from kubewright.server.wire.go_json import Tree
from kubewright.server.wire.go_types import pairs_of
from kubewright.server.wire.reading import Reading

__all__ = ["TypeMeta", "find_type_meta", "is_plain_type_meta"]

_COULD_NOT: Final = "couldn't get version/kind; json parse error: "

_FIELDS: Final = {"kind": "kind", "apiversion": "apiVersion"}

_PLAIN: Final = frozenset(_FIELDS.values())

_STRUCT: Final = (
    r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'
)
"""What Go calls the struct into which upstream reads the two."""


class TypeMeta(NamedTuple):
    """The apiVersion, taken apart, and the kind; empty where the body has none."""

    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        """The apiVersion, put together again."""
        return f"{self.group}/{self.version}" if self.group else self.version

    def version_at(self, api_version: str) -> str:
        """The apiVersion with what it lacks taken from the endpoint's; "" when it has no version even so."""
        group = api_version.rpartition("/")[0]
        if not self.version and self.group in ("", group):
            return api_version
        return self.api_version


def is_plain_type_meta(obj: dict[str, object]) -> bool:
    """Whether an object says kind and apiVersion plainly, so that `find_type_meta` has no objection."""
    kind, api_version = obj.get("kind"), obj.get("apiVersion", "")
    if not (isinstance(kind, str) and kind and isinstance(api_version, str) and api_version.count("/") < 2):
        return False
    # A key of the same length may be one of the two in other letters.
    return not any(len(key) in (4, 10) and _folded(key) in _FIELDS for key in obj if key not in _PLAIN)


def _folded(key: str) -> str:
    # An `s` that is long and a `K` that is Kelvin count as well in Go.
    return key.lower().replace("\u017f", "s")


def find_type_meta(tree: Tree, data: bytes) -> TypeMeta:
    """The kind of a body; names of fields count in any case, as Go's own decoder has it.

    Raises WireError without a kind when the body is no object, or one of the two is no text.
    """
    pairs = pairs_of(tree)
    reading = Reading(strict=False)
    if pairs is None:
        if tree is not None:
            raise WireError(_COULD_NOT + reading.type_error_text(tree, _STRUCT), body=data)
        pairs = ()
    found = {"kind": "", "apiVersion": ""}
    for key, value in pairs:
        name = _FIELDS.get(_folded(key))
        if name is None or value is None:
            continue
        if type(value) is str:
            found[name] = value
        else:
            reading.names[:] = [name]
            reading.type_error(value, "string")
    if reading.first_error:
        raise WireError(_COULD_NOT + reading.first_error, body=data)
    api_version = found["apiVersion"]
    group, slash, version = api_version.partition("/")
    if "/" in version:
        raise WireError(f"unexpected GroupVersion string: {api_version}", body=data)
    return TypeMeta(group, version, found["kind"]) if slash else TypeMeta("", group, found["kind"])
