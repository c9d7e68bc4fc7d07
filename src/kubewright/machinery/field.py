"""What a field of a typed object is on the wire: its name, its default, how it merges.

class ServiceSpec(Struct):
    cluster_ip: str = field(default="", name="clusterIP")
    ports: Annotated[list[ServicePort], Field(list_type="map", map_keys=("port", "protocol"))] = []
    selector: dict[str, str] = {}
    session_affinity_config: SessionAffinityConfig | None = None
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar

import msgspec

from kubewright.machinery.schema import ListType, MapType

__all__ = ["EMPTY", "EmptyType", "Field", "OpenEnum", "camel_case", "field"]

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


class Field(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, repr_omit_defaults=True):
    """Marks a field in `Annotated[...]` with what its type cannot say."""

    list_type: ListType | None = None
    """How server-side apply merges a list: whole, as a set, or element by element by `map_keys`."""
    map_keys: tuple[str, ...] = ()
    map_type: MapType | None = None
    """Whether server-side apply merges a map or struct member by member or replaces it whole."""
    patch_strategy: tuple[str, ...] = ()
    """How a strategic merge patch treats the field: any of merge, replace, retainKeys."""
    patch_merge_key: str = ""
    """The field by which a strategic merge patch finds the same element in both lists."""


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
