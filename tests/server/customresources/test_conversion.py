"""Custom resources that are stored in one version and read in another, or by a schema that has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kubewright.machinery.errors import ApiError
from kubewright.server.customresources.custom_type import CustomType
from kubewright.server.customresources.version_schemas import VersionSchemas
from kubewright.server.registry.resource import custom_resources
from kubewright.server.registry.stored import decode_stored, encode_stored
from kubewright.testing import Cluster
from tests.conformance.client import Client
from tests.conformance.custom_resources import define, definition, new_group, version


def definition_of(*versions: dict[str, Any]) -> dict[str, Any]:
    made = definition("example.com", *versions)
    made["spec"]["names"]["listKind"] = "WidgetList"
    made["status"] = {
        "acceptedNames": made["spec"]["names"],
        "conditions": [
            {"type": kind, "status": "True", "lastTransitionTime": None, "reason": "", "message": ""}
            for kind in ("NamesAccepted", "Established")
        ],
    }
    return made


def types(crd: dict[str, Any], *, changed_at: int = 0) -> dict[str, CustomType]:
    schemas = VersionSchemas(crd)
    return {
        served.version: CustomType(served, crd, changed_at=changed_at, schemas=schemas)
        for served in custom_resources(crd)
    }


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


def widget(api_version: str, revision: int = 1, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"example.com/{api_version}",
        "kind": "Widget",
        "metadata": {"name": "a", "resourceVersion": str(revision)},
        "spec": spec,
    }


BOTH = {"type": "string"}
OWN = {"type": "string", "default": "filled in"}


def test_versions_of_one_schema_differ_by_name_only() -> None:
    both = types(definition_of(version("v1", schema(a=BOTH)), version("v2", schema(a=BOTH))))
    stored = encode_stored(widget("v1", a="b"), with_type=True)
    assert both["v1"].present(stored) is stored
    # Not even decoded: what is stored is copied.
    assert both["v2"].present(stored) == stored.replace(b"example.com/v1", b"example.com/v2")


def test_each_version_shows_what_it_has() -> None:
    both = types(definition_of(version("v1", schema(a=BOTH, b=OWN)), version("v2", schema(a=BOTH, c=OWN))))
    stored = encode_stored(widget("v1", a="x", b="y"), with_type=True)
    assert decode_stored(both["v2"].present(stored)) == widget("v2", a="x")
    assert both["v2"].decode(stored) == widget("v2", a="x")
    unstored = both["v2"].encode_unstored(widget("v2", a="x", c="z"))
    assert decode_stored(unstored) == widget("v1", a="x", b="filled in")


def test_what_is_older_than_the_schema_is_refreshed() -> None:
    newer = types(definition_of(version("v1", schema(a=BOTH, b=OWN))), changed_at=10)["v1"]
    old, new = (encode_stored(widget("v1", revision, gone="x"), with_type=True) for revision in (9, 10))
    assert decode_stored(newer.present(old)) == widget("v1", 9, b="filled in")
    assert newer.present(new) is new


def test_a_stored_version_that_there_is_no_more() -> None:
    only = types(definition_of(version("v1", schema(a=BOTH))))["v1"]
    stored = encode_stored(widget("v0", a="x"), with_type=True)
    for read in (only.decode, only.present):
        with pytest.raises(
            ApiError, match=r"request to convert CR from an invalid group/version: example\.com/v0"
        ):
            read(stored)


def test_a_restarted_server_still_knows_which_objects_are_old(tmp_path: Path) -> None:
    group = new_group()
    path = f"/apis/{group}/v1/namespaces/default/widgets"

    with Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster:
        client = Client(cluster)
        widgets = define(client, definition(group, version("v1", schema(a=BOTH))))
        assert client.post(path, widgets.widget("a", a="x")).status == 201
        crd = client.get(widgets.definition).json()
        crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema(b=OWN)
        assert client.put(widgets.definition, crd).status == 200
        client.close()
    with Cluster.in_thread(controllers="none", data_dir=tmp_path) as cluster:
        client = Client(cluster)
        assert client.get(f"{path}/a").json()["spec"] == {"b": "filled in"}
        client.close()


def test_a_definition_shares_what_it_prepares() -> None:
    crd = definition_of(version("v1", schema(a=BOTH)), version("v2", schema(c=BOTH)))
    schemas = VersionSchemas(crd)
    assert list(schemas) == ["example.com/v1", "example.com/v2"]
    assert len(schemas) == 2
    assert schemas["example.com/v1"] is schemas["example.com/v1"]
    assert schemas.structural("example.com/v1") is schemas.structural("example.com/v1")
    assert not schemas.are_same("example.com/v1", "example.com/v2")
    assert "example.com/v3" not in [*schemas]
