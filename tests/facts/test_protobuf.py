"""Reading `.proto` files: every field, under the full name of its type, or an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from facts.errors import RecordingError
from facts.protobuf import download_modules, module_version, parse_messages, read_messages

PROTO = """
/* A licence; message Not { } */
syntax = "proto2";
package example.widgets.v1;
import "example/meta/v1/generated.proto";
option go_package = "example/widgets/v1";

// A widget; message Nor { }
message Widget {
  // Written in two lines.
  optional .example.meta.v1.ObjectMeta
      metadata = 1;

  repeated WidgetPart parts = 10;
  map<string, .example.Quantity> sizes = 2; // by name
}

message WidgetPart {
  optional int64 weight = 1;
}

message Empty {
}
"""


def write(root: Path, package: str) -> None:
    folder = root / package
    folder.mkdir(parents=True)
    text = f'syntax = "proto2";\npackage {package};\nmessage Widget {{\n  optional bool ok = 1;\n}}\n'
    (folder / "generated.proto").write_text(text)


def test_messages_and_their_fields_in_the_order_of_numbers() -> None:
    package, messages = parse_messages(PROTO)
    assert package == "example.widgets.v1"
    assert messages == {
        "example.widgets.v1.Widget": {
            "1": ["metadata", "example.meta.v1.ObjectMeta", "optional"],
            "2": ["sizes", "example.Quantity", "map"],
            "10": ["parts", "example.widgets.v1.WidgetPart", "repeated"],
        },
        "example.widgets.v1.WidgetPart": {"1": ["weight", "int64", "optional"]},
        "example.widgets.v1.Empty": {},
    }
    assert list(messages["example.widgets.v1.Widget"]) == ["1", "2", "10"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("message A {\n  required string a = 1;\n}", r"'required string a = 1' of p\.A has an unknown form"),
        ("message A {\n  optional string a = 1 [deprecated = true];\n}", r"of p\.A has an unknown form"),
        ("message A {\n  map<int32, string> a = 1;\n}", r"of p\.A has an unknown form"),
        ("message A {\n  message B {\n  }\n}", "p has messages of an unknown form"),
        ("enum A {\n  ZERO = 0;\n}", "p has messages of an unknown form"),
    ],
)
def test_what_cannot_be_read_is_an_error(body: str, message: str) -> None:
    with pytest.raises(RecordingError, match=message):
        parse_messages(f"package p;\n{body}\n")


def test_a_file_without_a_package() -> None:
    with pytest.raises(RecordingError, match="no package"):
        parse_messages("message A {\n}\n")


def test_stable_versions_and_the_previews_that_are_served(tmp_path: Path) -> None:
    for package in ("a.v1", "a.v1beta1", "a.v2alpha1", "a.runtime"):
        write(tmp_path, package)
    stable = ["a.runtime.Widget", "a.v1.Widget"]
    assert list(read_messages([tmp_path], packages=())) == stable
    assert list(read_messages([tmp_path], packages={"a.v1beta1"})) == [*stable, "a.v1beta1.Widget"]


@pytest.mark.parametrize(
    ("server", "modules"),
    [
        ("v1.36.4", "v0.36.4"),
        ("v1.37.0-alpha.2", "v0.37.0-alpha.2"),
        ("v1.37.0-rc.0", "v0.37.0-rc.0"),
        ("v1.35.1+k3s1", "v0.35.1"),
        ("v1.34.2-eks-1a2b3c", "v0.34.2"),
        ("v1.34.2-gke.100", "v0.34.2"),
    ],
)
def test_the_modules_of_a_release(server: str, modules: str) -> None:
    assert module_version(server) == modules


@pytest.mark.parametrize("server", ["", "v0.0.0-master+$Format:%H$", "1.36"])
def test_a_server_that_does_not_say_its_release(server: str) -> None:
    with pytest.raises(RecordingError, match="record from a kube-apiserver that was built with its version"):
        module_version(server)


def test_without_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RecordingError, match="install Go"):
        download_modules("v0.36.4")
