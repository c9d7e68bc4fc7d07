"""When documents are made, kept and made anew, and their hashes."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from typing import Any

from kubewright.server.openapi.documents import OpenAPI
from kubewright.server.registry.resource import ServedResource, builtin_resources
from tests.server.openapi.facts import recorded_crds, served_with

BUILTINS = builtin_resources()


class Served:
    """What a server serves, to be changed."""

    def __init__(self) -> None:
        self.crds: list[dict[str, Any]] = recorded_crds()

    def resources(self) -> list[ServedResource]:
        return served_with(self.crds)

    def openapi(self) -> OpenAPI:
        return OpenAPI(self.resources, lambda: self.crds)


def test_the_hash_is_of_the_contents_and_in_the_index() -> None:
    openapi = Served().openapi()
    urls = json.loads(openapi.index().body)["paths"]
    for name in ("api/v1", "apis/oa.example.com/v1", ".well-known/openid-configuration"):
        made = openapi.v3(name)
        assert made is not None
        assert made.etag == hashlib.sha512(made.body).hexdigest().upper()
        assert urls[name] == {"serverRelativeURL": f"/openapi/v3/{name}?hash={made.etag}"}


def test_both_forms_have_one_hash() -> None:
    openapi = Served().openapi()
    json_form, protobuf = openapi.v3("apis/apps/v1"), openapi.v3_protobuf("apis/apps/v1")
    assert json_form is not None
    assert protobuf is not None
    assert json_form.etag == protobuf.etag
    assert openapi.v2().etag == openapi.v2_protobuf().etag


def test_nothing_is_made_twice() -> None:
    openapi = Served().openapi()
    assert openapi.v3("apis/apps/v1") is openapi.v3("apis/apps/v1")
    assert openapi.v2() is openapi.v2()
    first, second = openapi.v3_protobuf("apis/apps/v1"), openapi.v3_protobuf("apis/apps/v1")
    assert first is not None
    assert second is not None
    assert first.body is second.body
    assert openapi.v2_protobuf().body is openapi.v2_protobuf().body


def test_a_changed_definition_changes_its_own_documents_only() -> None:
    served = Served()
    openapi = served.openapi()
    names = ("apis/oa.example.com/v1", "apis/aa.example.org/v1", "apis/apps/v1")
    before = {name: openapi.v3(name) for name in names}
    v2, index = openapi.v2(), openapi.index()
    gears = next(crd for crd in served.crds if crd["metadata"]["name"] == "gears.oa.example.com")
    gears["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["more"] = {"type": "string"}
    gears["metadata"]["resourceVersion"] += "1"
    changed = openapi.v3(names[0])
    assert changed is not None
    assert changed != before[names[0]]
    assert b'"more"' in changed.body
    assert all(openapi.v3(name) is before[name] for name in names[1:])
    assert openapi.index() != index
    assert openapi.v2().etag != v2.etag


def test_a_write_that_changes_no_schema_keeps_the_hash() -> None:
    served = Served()
    openapi = served.openapi()
    before = openapi.v3("apis/oa.example.com/v1")
    served.crds[0]["metadata"]["resourceVersion"] += "1"
    assert openapi.v3("apis/oa.example.com/v1") == before


def test_a_deleted_definition_takes_its_documents_with_it() -> None:
    served = Served()
    openapi = served.openapi()
    assert openapi.v3("apis/aa.example.org/v1") is not None
    served.crds = [crd for crd in served.crds if crd["spec"]["group"] != "aa.example.org"]
    assert openapi.v3("apis/aa.example.org/v1") is None
    assert openapi.v3_protobuf("apis/aa.example.org/v1") is None
    assert "apis/aa.example.org/v1" not in json.loads(openapi.index().body)["paths"]
    assert b"aa.example.org" not in openapi.v2().body


def test_a_resource_whose_definition_is_gone_already_is_left_out() -> None:
    served = Served()
    resources = served.resources()
    openapi = OpenAPI(lambda: resources, list)
    assert openapi.v3("apis/oa.example.com/v1") is None
    assert openapi.v3("apis/apps/v1") is not None


def test_unknown_names_have_no_document() -> None:
    openapi = OpenAPI(lambda: BUILTINS, list)
    for name in ("", "apis/", "apis/nope/v1", "apis/apps/v1/", "/apis/apps/v1", "../api"):
        assert openapi.v3(name) is None
        assert openapi.v3_protobuf(name) is None


def test_definitions_are_not_read_before_they_are_asked_for() -> None:
    script = (
        "import builtins, io, sys\n"
        "from kubewright.server.openapi.documents import OpenAPI\n"
        "from kubewright.server.registry.resource import builtin_resources\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == 'open' else None)\n"
        "openapi = OpenAPI(builtin_resources, list)\n"
        "assert not any('openapi.json' in name for name in opened)\n"
        "openapi.v3('version')\n"
        "assert any('openapi.json' in name for name in opened)\n"
        "assert 'kubewright.server.openapi.gnostic' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
