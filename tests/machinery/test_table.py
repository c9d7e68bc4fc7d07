"""Tables and objects reduced to metadata."""

from __future__ import annotations

from kubewright.machinery.table import (
    PartialObjectMetadata,
    PartialObjectMetadataList,
    Table,
    TableColumnDefinition,
    TableRow,
)

WIRE = {
    "apiVersion": "meta.k8s.io/v1",
    "kind": "Table",
    "metadata": {"resourceVersion": "5"},
    "columnDefinitions": [
        {"name": "Name", "type": "string", "format": "name", "description": "its name", "priority": 0}
    ],
    "rows": [
        {
            "cells": ["web", 3, None],
            "conditions": [{"type": "Completed", "status": "True"}],
            "object": {"kind": "PartialObjectMetadata", "metadata": {"name": "web"}},
        }
    ],
}


def test_a_table() -> None:
    table = Table.from_dict(WIRE)
    assert table.rows[0].cells == ["web", 3, None]
    assert table.to_dict() == WIRE


def test_a_table_that_is_made() -> None:
    column = TableColumnDefinition(name="Name", type="string", format="name", description="", priority=0)
    made = Table(column_definitions=[column], rows=[TableRow(cells=["web"])]).to_dict()
    assert made["columnDefinitions"][0]["description"] == ""
    assert made["rows"] == [{"cells": ["web"]}]


def test_objects_reduced_to_metadata() -> None:
    wire = {
        "apiVersion": "meta.k8s.io/v1",
        "kind": "PartialObjectMetadataList",
        "metadata": {},
        "items": [
            {"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": {"name": "web"}}
        ],
    }
    listed = PartialObjectMetadataList.from_dict(wire)
    assert isinstance(listed.items[0], PartialObjectMetadata)
    assert listed.to_dict() == wire
