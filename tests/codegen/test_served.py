"""What the generator makes of recorded discovery and OpenAPI: the same as a fresh run, and readable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from facts import KUBERNETES
from kubewright.codegen.definitions import DEFINITIONS, read_definition_facts, render_definitions
from kubewright.codegen.go_structs import GO_STRUCTS
from kubewright.codegen.models import main as make_models
from kubewright.codegen.served import SERVED, read_discovery, read_returned_when_deleted, served_table
from kubewright.machinery.errors import ParseError
from kubewright.models.served import RESOURCES

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "src" / "kubewright" / "models"

GROUP: dict[str, Any] = {
    "metadata": {"name": "example.com"},
    "versions": [
        {
            "version": "v1",
            "resources": [
                {
                    "resource": "widgets",
                    "responseKind": {"group": "", "version": "", "kind": "Widget"},
                    "scope": "Namespaced",
                    "singularResource": "widget",
                    "verbs": ["get", "list", "watch"],
                    "shortNames": ["w", "wi"],
                    "subresources": [
                        {
                            "subresource": "scale",
                            "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"},
                            "verbs": ["get"],
                        },
                        {
                            "subresource": "status",
                            "responseKind": {"group": "", "version": "", "kind": "Widget"},
                            "verbs": ["get", "patch"],
                        },
                    ],
                },
                {
                    "resource": "reviews",
                    "responseKind": {"group": "", "version": "", "kind": "Review"},
                    "scope": "Cluster",
                    "singularResource": "review",
                    "verbs": ["create"],
                },
            ],
        }
    ],
}

ROWS = """
    ResourceRow(
        api_version="example.com/v1",
        plural="widgets",
        singular="widget",
        kind="Widget",
        namespaced=True,
        verbs="get list watch",
        list_kind="WidgetList",
        short_names="w wi",
        stored_as="example.com/v1",
        returned_when_deleted=True,
        subresources=[
            SubresourceRow("scale", "autoscaling/v1", "Scale", "get"),
            SubresourceRow("status", "example.com/v1", "Widget", "get patch"),
        ],
    ),
    ResourceRow(
        api_version="example.com/v1",
        plural="reviews",
        singular="review",
        kind="Review",
        namespaced=False,
        verbs="create",
    ),
)
"""


def test_rows_say_what_there_is_and_nothing_else() -> None:
    made = served_table([GROUP], {("example.com/v1", "widgets")})
    assert made.endswith(f"= ({ROWS}")
    compile(made, SERVED, "exec")


def test_a_fresh_run_makes_the_same_table() -> None:
    groups = read_discovery(KUBERNETES)
    assert groups is not None
    made = served_table(groups, read_returned_when_deleted(KUBERNETES / "openapi-v3"))
    assert (MODELS / SERVED).read_text() == made, "run make models"
    assert len(RESOURCES) == 68


def test_a_fresh_run_makes_the_same_definitions() -> None:
    facts = read_definition_facts(KUBERNETES / "openapi-v3")
    assert facts is not None
    made = render_definitions(facts)
    assert (MODELS / DEFINITIONS).read_text() == made, "run make models"
    assert json.loads(made) == facts


def test_definitions_stand_one_in_a_line_and_sorted() -> None:
    made = render_definitions({"b": {"type": "object", "enum": [1]}, "a": {}})
    assert made == '{\n"a":{},\n"b":{"enum":[1],"type":"object"}\n}\n'


def test_all_kinds_of_a_definition_come_from_v2(tmp_path: Path) -> None:
    directory = tmp_path / "openapi-v3"
    directory.mkdir()
    assert read_definition_facts(directory) is None
    assert read_discovery(tmp_path) is None
    definition = {"type": "object", "default": {}, "x-kubernetes-group-version-kind": ["one"]}
    v3 = {"components": {"schemas": {"a": definition}}}
    (directory / "version.json").write_text(json.dumps(v3))
    v2 = tmp_path / "openapi-v2.json"
    v2.write_text(json.dumps({"definitions": {"a": {"x-kubernetes-group-version-kind": ["one", "two"]}}}))
    assert read_definition_facts(directory) == {
        "a": {"type": "object", "default": {}, "x-kubernetes-group-version-kind": ["one", "two"]}
    }
    v2.write_text(json.dumps({"definitions": {"b": {}}}))
    with pytest.raises(ParseError, match=r"b is in openapi-v2\.json only"):
        read_definition_facts(directory)


def test_files_that_cannot_be_made_anew_are_kept(tmp_path: Path) -> None:
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "openapi-v3").symlink_to(KUBERNETES / "openapi-v3")
    package = tmp_path / "models"
    package.mkdir()
    kept = (SERVED, DEFINITIONS, GO_STRUCTS.name)
    for name in kept:
        (package / name).write_text("kept")
    make_models([str(tmp_path / "facts" / "openapi-v3"), str(package)])
    for name in kept:
        assert (package / name).read_text() == "kept"
