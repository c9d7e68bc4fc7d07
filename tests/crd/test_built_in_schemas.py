"""Every built-in class can stand in a custom resource: servers take its schema."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import Any

import pytest

import kubewright.models
from kubewright import DeclarationError, Struct
from kubewright.crd.class_schema import SchemaBuilder
from kubewright.server.kinds.apiextensions.definition_rules import validate_create

MODULES = [each.name for each in pkgutil.iter_modules(kubewright.models.__path__) if "_v" in each.name]
RECURSIVE = "apiextensions_v1"
"""Has JSONSchemaProps, which contains itself, and all that has it."""


def definition(spec: dict[str, Any]) -> dict[str, Any]:
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
    }
    names = {"kind": "Thing", "plural": "things", "singular": "thing", "listKind": "ThingList"}
    return {
        "metadata": {"name": "things.example.com"},
        "spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]},
        "status": {"storedVersions": ["v1"]},
    }


@pytest.mark.parametrize("name", MODULES)
def test_servers_take_the_schemas_of_built_in_classes(name: str) -> None:
    module = import_module(f"kubewright.models.{name}")
    builder = SchemaBuilder()
    for each in module.__all__:
        cls = getattr(module, each)
        if not (isinstance(cls, type) and issubclass(cls, Struct)):
            continue
        try:
            schema = builder.of_struct(cls, "Thing.spec")
        except DeclarationError:
            if name != RECURSIVE:
                raise
            builder = SchemaBuilder()
        else:
            assert validate_create(definition(schema)) == []
