"""`Table`: rows and columns made by the server, for `kubectl get`; and objects reduced to metadata."""

from __future__ import annotations

from typing import Any

from kubewright.machinery.field import field
from kubewright.machinery.meta import ListMeta
from kubewright.machinery.resource import Resource, ResourceList
from kubewright.machinery.struct import Struct
from kubewright.machinery.type_meta import TypeMeta

__all__ = [
    "PartialObjectMetadata",
    "PartialObjectMetadataList",
    "Table",
    "TableColumnDefinition",
    "TableRow",
    "TableRowCondition",
]


class TableColumnDefinition(Struct):
    """One column."""

    name: str
    type: str
    """An OpenAPI type: `string`, `integer`, `number`, `boolean` or `date`."""
    format: str
    """Such as `name` for the column that names the object."""
    description: str
    priority: int
    """0 is always shown, more only with `-o wide`."""


class TableRowCondition(Struct):
    """Says something of a whole row, such as that its object has completed."""

    type: str
    status: str
    reason: str = ""
    message: str = ""


class TableRow(Struct):
    """One object's row."""

    cells: list[Any]
    conditions: list[TableRowCondition] = []
    object: dict[str, Any] | None = None
    """The object or its metadata, as `TableOptions.include_object` asks."""


class Table(TypeMeta, api_version="meta.k8s.io/v1", kind="Table"):
    """A list or object as rows; see `TableOptions`."""

    metadata: ListMeta = field(default_factory=ListMeta)
    column_definitions: list[TableColumnDefinition]
    rows: list[TableRow]


class PartialObjectMetadata(Resource, api_version="meta.k8s.io/v1", kind="PartialObjectMetadata"):
    """Any object reduced to its metadata."""


class PartialObjectMetadataList(
    ResourceList[PartialObjectMetadata], api_version="meta.k8s.io/v1", kind="PartialObjectMetadataList"
):
    """A list of objects reduced to their metadata."""
