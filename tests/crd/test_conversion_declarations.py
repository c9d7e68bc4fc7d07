"""Declarations of kinds with conversion functions, and what their definitions say of a webhook."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kubewright import DeclarationError, Resource, custom_resource
from kubewright.crd import convert, webhook_conversion
from kubewright.crd.declaration import declaration_of
from kubewright.models.apiextensions_v1 import CustomResourceConversion
from tests.crd.versioned_kinds import Site

PEM = b"-----BEGIN CERTIFICATE-----\n"


def declared(*bodies: dict[str, Any], hub: dict[str, Any] | None = None, **options: Any) -> type[Resource]:
    """A hub whose spokes have these methods."""

    def version(name: str, body: dict[str, Any], **kind_options: Any) -> Any:
        metaclass: Any = type(Resource)
        made = metaclass(f"Thing{name.upper()}", (Resource,), {"__module__": __name__, **body})
        return custom_resource(group="example.com", version=name, kind="Thing", **kind_options)(made)

    spokes = [version(f"v{i}", body, storage=False) for i, body in enumerate(bodies, 1)]
    found: type[Resource] = version("v9", hub or {}, **{"versions": spokes, **options})
    return found


def to_hub(self: Any) -> Any:
    return self


def from_hub(cls: Any, hub: Any) -> Any:
    return hub


async def slow(self: Any) -> Any:
    return self


BOTH = {"to_hub": to_hub, "from_hub": classmethod(from_hub)}


@pytest.mark.parametrize(
    ("bodies", "message"),
    [
        (
            [{"to_hub": to_hub}],
            r"ThingV1 \(v1\) has no from_hub, and it has the other; write @classmethod def",
        ),
        (
            [{"from_hub": classmethod(from_hub)}],
            r"ThingV1 \(v1\) has no to_hub, and it has the other; write def",
        ),
        (
            [BOTH, {}],
            r"ThingV2 \(v2\) has no to_hub, and ThingV1 is converted by functions; write def to_hub",
        ),
        (
            [{}, BOTH],
            r"ThingV1 \(v1\) has no to_hub, and ThingV2 is converted by functions; write def to_hub",
        ),
        (
            [{**BOTH, "from_hub": from_hub}],
            "ThingV1.from_hub cannot be called as it must; write @classmethod",
        ),
        ([{**BOTH, "from_hub": staticmethod(from_hub)}], "ThingV1.from_hub cannot be called as it must"),
        ([{**BOTH, "to_hub": classmethod(to_hub)}], "ThingV1.to_hub cannot be called as it must; write def"),
        ([{**BOTH, "to_hub": slow}], "ThingV1.to_hub is async; conversions ask nobody: write def"),
        ([{**BOTH, "from_hub": classmethod(slow)}], "ThingV1.from_hub is async"),
    ],
)
def test_functions_that_are_not_all_there(bodies: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        declared(*bodies)


def test_a_hub_has_none() -> None:
    with pytest.raises(DeclarationError, match="ThingV9 has to_hub, but it is the stored version, the hub"):
        declared(BOTH, hub={"to_hub": to_hub})


def test_a_spoke_without_storage_false() -> None:
    with pytest.raises(DeclarationError, match="write storage=False, or give to_hub to the other versions"):
        declared(hub=BOTH)


def test_functions_of_a_base_count() -> None:
    class Base(Resource):
        def to_hub(self) -> Any: ...

        @classmethod
        def from_hub(cls, hub: Any) -> Any: ...

    @custom_resource(group="example.com", version="v1", kind="Thing", storage=False)
    class ThingV1(Base):
        pass

    @custom_resource(group="example.com", version="v2", kind="Thing", versions=[ThingV1])
    class Thing(Resource):
        pass

    assert declaration_of(Thing).has_conversions


def test_a_field_of_that_name_is_no_function() -> None:
    @custom_resource(group="example.com", version="v1", kind="Thing", storage=False)
    class ThingV1(Resource):
        to_hub: str | None = None

    @custom_resource(group="example.com", version="v2", kind="Thing", versions=[ThingV1])
    class Thing(Resource):
        pass

    assert not declaration_of(Thing).has_conversions
    assert Thing.crd().spec.conversion == CustomResourceConversion(strategy="None")


HUB = """
from kubewright import Resource, custom_resource

@custom_resource(group="example.com", version="v1", versions=[".v1beta1:App"])
class App(Resource):
    name: str = ""
"""

SPOKE = """
from __future__ import annotations
from kubewright import Resource, custom_resource
from versioned_app import v1

@custom_resource(group="example.com", version="v1beta1", storage=False)
class App(Resource):
    title: str = ""

    def to_hub(self) -> v1.App:
        return v1.App(name=self.title)
"""

BACK = """
    @classmethod
    def from_hub(cls, hub: v1.App) -> App:
        return cls(title=hub.name)
"""


def imported(folder: Path, monkeypatch: pytest.MonkeyPatch, spoke: str, *names: str) -> list[Any]:
    """The class App of modules of a package, imported in this order."""
    package = folder / "versioned_app"
    package.mkdir()
    for name, text in (("__init__", ""), ("v1", HUB), ("v1beta1", spoke)):
        (package / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(folder)
    for module in [each for each in sys.modules if each.startswith("versioned_app")]:
        monkeypatch.delitem(sys.modules, module)
    return [import_module(f"versioned_app.{name}").App for name in names]


def test_versions_in_modules_that_import_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for order in (("v1", "v1beta1"), ("v1beta1", "v1")):
        folder = tmp_path / order[0]
        folder.mkdir()
        classes = dict(zip(order, imported(folder, monkeypatch, SPOKE + BACK, *order), strict=True))
        hub, spoke = classes["v1"], classes["v1beta1"]
        assert convert(spoke(title="a"), hub).name == "a"
        versions = hub.crd(conversion=webhook_conversion(url="https://a")).spec.versions
        assert [each.name for each in versions] == ["v1", "v1beta1"]


def test_versions_in_other_modules_are_checked_when_they_are_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (hub,) = imported(tmp_path, monkeypatch, SPOKE, "v1")
    with pytest.raises(DeclarationError, match=r"App \(v1beta1\) has no from_hub, and it has the other"):
        hub.crd(conversion=webhook_conversion(url="https://a"))


def test_functions_want_a_webhook() -> None:
    assert declaration_of(Site).has_conversions
    with pytest.raises(DeclarationError, match="Site: functions convert between its versions, and without a"):
        Site.crd()
    conversion = webhook_conversion(url="https://a.example.com/convert", ca_bundle=PEM)
    assert Site.crd(conversion=conversion).to_dict()["spec"]["conversion"] == {
        "strategy": "Webhook",
        "webhook": {
            "conversionReviewVersions": ["v1"],
            "clientConfig": {
                "url": "https://a.example.com/convert",
                "caBundle": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==",
            },
        },
    }
    # Who says so may have none.
    nothing = CustomResourceConversion(strategy="None")
    assert Site.crd(conversion=nothing).spec.conversion == nothing


def test_a_webhook_behind_a_service() -> None:
    made = webhook_conversion(service_name="app", service_namespace="default").to_dict()
    service = {"name": "app", "namespace": "default", "path": "/convert", "port": 443}
    assert made["webhook"]["clientConfig"] == {"service": service}
    made = webhook_conversion(
        service_name="app", service_namespace="default", service_port=9443, path="/x"
    ).to_dict()
    assert made["webhook"]["clientConfig"]["service"] == {**service, "path": "/x", "port": 9443}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "a webhook is at a URL or behind a service"),
        ({"url": "https://a", "service_name": "b"}, "a webhook is at a URL or behind a service"),
        ({"url": "http://a/convert"}, "is no address of a webhook; write https://HOST:PORT/convert"),
        ({"url": "https:///convert"}, "is no address of a webhook"),
        ({"url": "https://a:b/"}, "is no address of a webhook"),
        ({"url": "https://[a/"}, "is no address of a webhook"),
        ({"url": "https://u:p@a/"}, "url has a user, a query or a fragment"),
        ({"url": "https://a/?b=c"}, "url has a user, a query or a fragment"),
        ({"url": "https://a/#b"}, "url has a user, a query or a fragment"),
        ({"service_name": "a"}, "give service_namespace= as well"),
        ({"service_namespace": "a"}, "give service_name= as well"),
        ({"service_name": "a", "service_namespace": "b", "service_port": 0}, "service_port=0 is no port"),
        ({"service_name": "a", "service_namespace": "b", "path": "x"}, "write '/x'"),
        (
            {"url": "https://a", "ca_bundle": b"LS0tLS1"},
            "ca_bundle has no certificate in PEM; give the bytes",
        ),
    ],
)
def test_a_webhook_that_a_server_would_refuse(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        webhook_conversion(**options)
    assert "u:p" not in str(caught.value)
