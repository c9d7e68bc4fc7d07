"""What a field of a typed object is on the wire: its name, its default, how it merges, what it may hold.

class ServiceSpec(Struct):
    cluster_ip: str = field(default="", name="clusterIP")
    ports: Annotated[list[ServicePort], Field(list_type="map", map_keys=("port", "protocol"))] = []
    selector: dict[str, str] = {}
    session_affinity_config: SessionAffinityConfig | None = None
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET

from kubewright.machinery.schema import ListType, MapType

__all__ = ["EMPTY", "EmptyType", "Field", "Int32", "OpenEnum", "Rule", "camel_case", "field", "merged"]

T = TypeVar("T")

field = msgspec.field
"""A field's default and its wire name where that is not the camelCase of its Python name."""


def camel_case(name: str) -> str:
    """The wire name of a field that was given no other: `min_k8s_version` is `minK8sVersion`."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


class EmptyType:
    """The type of EMPTY."""

    def __repr__(self) -> str:
        return "EMPTY"


EMPTY: Final[Any] = EmptyType()
"""The default of a struct field that Go holds by value: absent on the wire, an empty struct when read.

The empty struct is kept by the object that was read, so `pod.status.phase = "Running"` does what it says.
"""


class Rule(msgspec.Struct, frozen=True, repr_omit_defaults=True):
    """A rule in CEL that values of a custom resource keep: an entry of `x-kubernetes-validations`.

    Expressions see the value as `self` and what it was before an update as `oldSelf`, with wire names.
    """

    expression: str
    message: str = ""
    """What the server says when the rule is broken; without it, it shows the expression."""
    message_expression: str = ""
    """An expression in CEL whose value is said instead of `message`."""
    reason: str = ""
    """FieldValueInvalid (the default), FieldValueForbidden, FieldValueRequired or FieldValueDuplicate."""
    field_path: str = ""
    """The field that the error names, from the value on which the rule stands: `.spec.size`."""
    optional_old_self: bool | None = None
    """Whether a rule with `oldSelf`, then an optional, is asked for new values too."""


class _FieldMeta(msgspec.StructMeta):
    """Says which option was meant when there is none of a name."""

    if not TYPE_CHECKING:  # checkers take the signature from msgspec's

        def __call__(cls, *args: object, **options: object) -> object:  # noqa: N805 - of a metaclass
            try:
                return super().__call__(*args, **options)
            except TypeError:
                for name in options.keys() - set(cls.__struct_fields__):
                    raise TypeError(_no_such_option(name, cls.__struct_fields__)) from None
                raise


_SAID_BY_THE_TYPE: Final = {
    "enum": 'make Literal["a", "b"] the type of the field',
    "required": "a field without a default is required, and one with a default is not",
    "type": "the annotation is the type",
}
"""Keywords of a schema that are no options, since the field says them itself."""


def _no_such_option(name: str, names: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - for an error only

    near = get_close_matches(name, names, n=1)
    remedy = f"write {near[0]}" if near else f"there are {', '.join(names)}"
    return f"Field has no option {name!r}; {_SAID_BY_THE_TYPE.get(name, remedy)}"


class Field(
    msgspec.Struct,
    metaclass=_FieldMeta,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    repr_omit_defaults=True,
):
    """Marks a field in `Annotated[...]` with what its type cannot say.

    The first options say how the field merges, for any kind. The others are for custom resources: they become
    keywords of the CRD's schema, which the server enforces and `kubewright.crd.validate` checks without one.
    Of several marks on one type the outer one wins, option by option.
    """

    list_type: ListType | None = None
    """How server-side apply merges a list: whole, as a set, or element by element by `map_keys`."""
    map_keys: tuple[str, ...] = ()
    map_type: MapType | None = None
    """Whether server-side apply merges a map or struct member by member or replaces it whole."""
    patch_strategy: tuple[str, ...] = ()
    """How a strategic merge patch treats the field: any of merge, replace, retainKeys."""
    patch_merge_key: str = ""
    """The field by which a strategic merge patch finds the same element in both lists."""

    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    multiple_of: float | None = None
    min_length: int | None = None
    """Of a text, in characters."""
    max_length: int | None = None
    pattern: str = ""
    """A regular expression of Go's that a text must contain; put `^` and `$` around it to match the whole."""
    format: str | None = ""
    """`int32`, `double`, `email`, `ipv4`, `uri`, ...: one that the API server knows.

    None leaves a number without one: an `int` is int64 and a `float` is double unless it says so.
    """
    min_items: int | None = None
    max_items: int | None = None
    unique_items: bool = False
    """Whether no element may stand twice in a list: the same as `list_type="set"`."""
    min_properties: int | None = None
    max_properties: int | None = None
    nullable: bool = False
    """Whether null is a value of its own; without it null is the same as absent."""
    default: Any = UNSET
    """Must be the attribute's own default. It is for zero values: `= 0` alone is not put in the schema."""
    title: str = ""
    description: str = ""
    """For readers of the schema; a docstring below the attribute does the same."""
    example: Any = UNSET
    deprecated: bool = False
    """Says so in the description: structural schemas have no keyword for it."""
    immutable: bool = False
    """Whether the value, once there, can neither change nor go."""
    rules: tuple[Rule, ...] = ()
    preserve_unknown_fields: bool = False
    """Whether the server keeps fields of an object that the schema does not have."""
    embedded_resource: bool = False
    """Whether an object is a whole one, with apiVersion, kind and metadata."""
    extra: Mapping[str, Any] | None = None
    """Keywords of the schema that no other option says: `{"oneOf": [{"required": ["a"]}, ...]}`."""

    def __hash__(self) -> int:
        # Types are looked up by their annotations, and not every default or example can be hashed.
        return hash((self.list_type, self.map_keys, self.format, self.minimum, self.maximum))


def merged(fields: list[Field]) -> Field:
    """One field with the options of all; the last of the list wins, but all rules count."""
    if len(fields) <= 1:
        return fields[0] if fields else _NO_FIELD
    options: dict[str, Any] = {}
    for each in fields:
        said = {name: getattr(each, name) for name in Field.__struct_fields__}
        options |= {name: value for name, value in said.items() if value is not getattr(_NO_FIELD, name)}
    return Field(**options | {"rules": tuple(rule for each in fields for rule in each.rules)})


_NO_FIELD: Final = Field()

Int32: TypeAlias = Annotated[int, Field(format="int32")]
"""An int of 32 bits; a plain `int` has 64."""


if TYPE_CHECKING:
    OpenEnum: TypeAlias = Annotated[T, "open"]
else:

    class OpenEnum:
        """`OpenEnum[Literal["Always", "Never"]]`: the values known today, for type checkers and editors.

        At run time it is a plain string, because a newer server may send a value that nobody knew when the
        model was made, and reading it must not fail.
        """

        def __class_getitem__(cls, values: Any) -> Any:
            from typing import get_args  # noqa: PLC0415 - the class body is for run time only

            return Annotated[str, msgspec.Meta(extra_json_schema={"enum": list(get_args(values))})]
