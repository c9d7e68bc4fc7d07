"""The schemas of all versions of a custom resource: objects are stored in one of them and read in any."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from kubewright.crd.defaulting import default
from kubewright.crd.pruning import prune
from kubewright.crd.structural import StructuralSchema, parse_schema
from kubewright.machinery.errors import ParseError
from kubewright.machinery.openapi_schema import schema_from_crd
from kubewright.machinery.schema import Schema
from kubewright.server.errors import failed
from kubewright.server.kinds.kind import Object

__all__ = ["VersionSchemas"]

_NO_SCHEMA: Final[Mapping[str, Any]] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


class VersionSchemas(Mapping[str, Schema]):
    """The schemas of a definition by apiVersion, each prepared when it is first needed.

    As a mapping it gives the shapes that the managers of fields need.
    """

    def __init__(self, crd: Object) -> None:
        spec = crd["spec"]
        self._preserves: Final = bool(spec.get("preserveUnknownFields"))
        self._openapi: Final[dict[str, Mapping[str, Any]]] = {
            f"{spec['group']}/{each['name']}": (each.get("schema") or {}).get("openAPIV3Schema") or _NO_SCHEMA
            for each in spec["versions"]
        }
        self._structural: Final[dict[str, StructuralSchema]] = {}
        self._shapes: Final[dict[str, Schema]] = {}

    def openapi(self, api_version: str) -> Mapping[str, Any]:
        """The schema as the definition has it."""
        return self._openapi[api_version]

    def structural(self, api_version: str) -> StructuralSchema:
        """The schema, prepared."""
        found = self._structural.get(api_version)
        if found is None:
            found = self._structural[api_version] = parse_schema(self._openapi[api_version])
        return found

    def are_same(self, one: str, other: str) -> bool:
        """Whether two versions have the same fields."""
        return self._openapi.get(one) == self._openapi.get(other)

    def refresh(self, obj: Object) -> None:
        """Make of an object that was stored what the schema of its version says now: pruned, with defaults.

        Raises ApiError for an object of a version that there is no more.
        """
        version = obj["apiVersion"]
        if version not in self._openapi:
            raise failed(f"request to convert CR from an invalid group/version: {version}")
        schema = self.structural(version)
        prune(obj, schema, preserve_unknown_fields=self._preserves, drop_invalid_metadata=True)
        default(obj, schema)

    def coerce(self, obj: Object) -> None:
        """Drop what an object that was converted to its version may not have. Raises ApiError."""
        try:
            prune(obj, self.structural(obj["apiVersion"]), preserve_unknown_fields=self._preserves)
        except ParseError as error:
            raise failed(str(error)) from None

    def complete(self, obj: Object) -> None:
        """Fill in the defaults of the object's version."""
        default(obj, self.structural(obj["apiVersion"]))

    def __getitem__(self, api_version: str) -> Schema:
        found = self._shapes.get(api_version)
        if found is None:
            openapi = self._openapi[api_version]
            found = self._shapes[api_version] = schema_from_crd(openapi, preserve_unknown=self._preserves)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._openapi)

    def __len__(self) -> int:
        return len(self._openapi)
