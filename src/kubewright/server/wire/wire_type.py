"""A built-in kind as bodies hold it, and the two ways to read one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, final

import msgspec

from kubewright.machinery.errors import ParseError
from kubewright.machinery.field_errors import go_quote
from kubewright.machinery.type_lock import TYPE_LOCK
from kubewright.server.wire.conversion import conversion_error
from kubewright.server.wire.errors import WireError, WrongKind
from kubewright.server.wire.go_json import Tree, check_depth, has_distinct_keys, is_encoding_of, parse_tree
from kubewright.server.wire.go_table import GoTypes
from kubewright.server.wire.go_types import GoKeptSlice, GoSlice, GoStruct
from kubewright.server.wire.reading import Fatal, Reading
from kubewright.server.wire.structs import FastTypes, read_form
from kubewright.server.wire.type_meta import TypeMeta, find_type_meta

if TYPE_CHECKING:
    from kubewright.server.kinds.kind import Object

__all__ = ["Read", "WireType", "go_struct", "wire_type"]

_to_builtins: Final = msgspec.to_builtins
_decode_plain: Final = msgspec.json.Decoder().decode

_GO_ORDER: Final = b'{"kind":"'
"""How the bodies of Go's typed clients begin; other clients begin with the apiVersion."""

_OLD_GO: Final = b'"creationTimestamp":null'
"""What Go's clients before 1.36 write into every new object, and 1.36 does not."""

_SCHEME: Final = "pkg/runtime/scheme.go:111"
"""What upstream calls its scheme in errors: where it is made."""

_INTERNAL: Final = {"events.v1.Event": "core.Event"}
"""What Go calls a kind inside the server, where that is not the group's package."""


class Read(NamedTuple):
    """What was read: the object as Go would write it, and what a strict reader complains about."""

    obj: Object
    problems: Sequence[str] = ()
    """Unknown and duplicate fields in upstream's words and order, at most a hundred: `unknown field
    "spec.foo"`. Empty when they were not asked for."""


@final
class WireType:
    """One kind of one apiVersion; made by `wire_type`.

    Reading is what Go's typed decoding and encoding do together: unknown fields are dropped, wrong types
    refused, nulls and what omitempty leaves out are gone, what Go always writes is there, quantities, times
    and base64 are canonical. apiVersion and kind are as sent, if they were sent. Fields stand in Go's order.

    Differences from upstream: JSON nests at most `MAX_DEPTH` levels; moments before the year 1 and after
    9999, and quantities of 1e400 and more, are refused; a quantity that is written with JSON's escapes is
    read.
    """

    def __init__(
        self, api_version: str, kind: str, name: str, *, any_version: bool, managed: bool = False
    ) -> None:
        self.api_version: Final = api_version
        self.kind: Final = kind
        self._name: Final = name
        self._struct: Final = _with_managers(go_struct(name)) if managed else go_struct(name)
        self._any_version: Final = any_version

    def __repr__(self) -> str:
        return f"WireType({self.api_version!r}, {self.kind!r})"

    def read(self, data: bytes, *, strict: bool) -> Read:
        """The object in a body. Not strict means that `problems` are not looked for.

        Raises WireError for what does not decode, and WrongKind (a WireError) for a body of another kind.
        """
        try:
            obj = self._read_fast(data)
            if obj is not None:
                return Read(obj)
        except (ValueError, RecursionError):  # all of msgspec's errors are ValueErrors
            pass
        try:
            tree = parse_tree(data)
        except ParseError as error:
            raise WireError(f"couldn't get version/kind; json parse error: {error}", body=data) from None
        return self._read_tree(tree, data, strict=strict)

    def read_object(self, obj: Object, *, strict: bool) -> Read:
        """The same for a JSON value that is decoded already: from YAML, protobuf or a patch.

        `obj` stays as it is, but the result may share parts with it. A float that is a whole number counts as
        one, as it does once Go has written it. Raises as `read` does.
        """
        try:
            made: Object = _to_builtins(msgspec.convert(obj, self._type, dec_hook=read_form))
            if self._is_ours(made):
                return Read(made)
        except (ValueError, RecursionError):
            pass
        return self._read_tree(obj, b"", strict=strict)

    def conversion_error(self, obj: Object) -> str:
        """What upstream's converter says of an object that `read_object` refuses; see `conversion`."""
        return conversion_error(self._struct, obj)

    @cached_property
    def always(self) -> Object:
        """What Go writes of an empty object: `{"metadata": {}, "spec": {"containers": None}, "status": {}}`.

        Treat it as immutable.
        """
        made: Any = self._struct.write({})
        return dict(made)

    @cached_property
    def _type(self) -> Any:
        with TYPE_LOCK:
            made = _fast_types().struct(self._struct)
            msgspec.json.Decoder(
                made, dec_hook=read_form
            )  # completes its classes before another thread sees them
            return made

    @cached_property
    def _decode(self) -> Any:
        with TYPE_LOCK:
            return msgspec.json.Decoder(self._type, dec_hook=read_form).decode

    def _read_fast(self, data: bytes) -> Object | None:
        """The object; None, or msgspec's errors, where the slow way has to tell.

        Bodies that Go wrote are mostly what their object encodes to, which settles that no key is twice.
        Others have to be decoded without types to find that out, and then are converted.
        """
        if data.startswith(_GO_ORDER) and _OLD_GO not in data:
            obj: Object = _to_builtins(self._decode(data))
            distinct = is_encoding_of(data, obj) or has_distinct_keys(data, _decode_plain(data))
        else:
            plain = _decode_plain(data)
            obj = _to_builtins(msgspec.convert(plain, self._type, dec_hook=read_form))
            distinct = has_distinct_keys(data, plain)
        if not distinct or not self._is_ours(obj):
            return None
        check_depth(data)
        return obj

    def _is_ours(self, obj: Object) -> bool:
        """Whether the object says this kind, or nothing; a closer look follows where it does not."""
        kind, api_version = obj.get("kind", self.kind), obj.get("apiVersion", self.api_version)
        return bool(kind == self.kind and api_version == self.api_version)

    def _read_tree(self, tree: Tree, data: bytes, *, strict: bool) -> Read:
        self._check_kind(find_type_meta(tree, data), tree, data)
        reading = Reading(strict=strict)
        try:
            obj: Any = self._struct.write(self._struct.read(reading, tree, self._struct.new()))
            error = reading.first_error
        except Fatal as fatal:
            error = str(fatal)
        except RecursionError:
            error = "the object nests too deep"
        if error:
            raise WireError(error, api_version=self.api_version, kind=self.kind)
        return Read(obj, reading.problems)

    def _check_kind(self, sent: TypeMeta, tree: Tree, data: bytes) -> None:
        """Raises the error that a body of another kind deserves."""
        kind, api_version = sent.kind or self.kind, sent.version_at(self.api_version)
        if kind == self.kind and (self._any_version or api_version == self.api_version):
            return
        if not api_version.rpartition("/")[2]:
            shown = data.decode(errors="replace") or msgspec.json.encode(tree).decode()
            raise WireError(
                f"Object 'apiVersion' is missing in '{shown}'", api_version=api_version, kind=kind
            )
        self._refuse(api_version, kind, tree)

    def _refuse(self, api_version: str, kind: str, tree: Tree) -> NoReturn:
        try:
            other = wire_type(api_version, kind)
        except KeyError:
            text = (
                f"no kind {go_quote(kind)} is registered for version {go_quote(api_version)} in scheme "
                f"{go_quote(_SCHEME)}"
            )
            raise WrongKind(text, api_version=api_version, kind=kind) from None
        # What is wrong with the body as what it says it is counts first.
        other._read_tree(tree, b"", strict=False)
        internal = _INTERNAL.get(self._name) or f"{self._name.partition('.')[0]}.{self.kind}"
        raise WrongKind(
            f"converting ({other._struct.name}) to ({internal}): unknown conversion",
            api_version=api_version,
            kind=kind,
            expected=self.api_version if kind == self.kind else "",
        )


@lru_cache(1024)
def wire_type(api_version: str, kind: str, *, managed: bool = False) -> WireType:
    """The type of a built-in kind, also of those that are only bodies: DeleteOptions, Scale, Eviction.

    `managed` is for objects that go to a field manager: an empty list of managedFields stays, which tells it
    to forget all managers. DeleteOptions and the other options belong to every apiVersion; bodies may then
    say any. Raises KeyError for a kind that is not built in. Cheap the second time; what a kind needs is made
    when it is first read.
    """
    from kubewright.models.go_structs import KINDS  # noqa: PLC0415 - a large table

    name = KINDS.get(api_version, {}).get(kind)
    if name is not None:
        return WireType(api_version, kind, name, any_version=False, managed=managed)
    return WireType(api_version, kind, KINDS[""][kind], any_version=True)


def _with_managers(struct: GoStruct) -> GoStruct:
    """A kind whose own metadata keeps an empty list of managedFields; that of templates in it does not."""
    made = GoStruct(struct.name)
    made.set_fields(
        field._replace(type=_managed_metadata()) if field.name == "metadata" else field
        for field in struct.fields
    )
    return made


@lru_cache(1)
def _managed_metadata() -> GoStruct:
    struct = go_struct("meta.v1.ObjectMeta")
    made = GoStruct(struct.name)
    made.set_fields(
        field._replace(type=GoKeptSlice(field.type.name, field.type.of))
        if field.name == "managedFields" and isinstance(field.type, GoSlice)
        else field
        for field in struct.fields
    )
    return made


def go_struct(name: str) -> GoStruct:
    """A struct of the table, such as meta.v1.ObjectMeta. Raises ParseError when there is none."""
    return _tables().struct(name)


@lru_cache(1)
def _tables() -> GoTypes:
    from kubewright.models.go_structs import NAMED, STRUCTS  # noqa: PLC0415 - a large table

    return GoTypes(STRUCTS, NAMED)


@lru_cache(1)
def _fast_types() -> FastTypes:
    return FastTypes()
