"""Manifests in texts, files and folders: what is found, in which order, and what is said of the rest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.client.manifests import Manifest, in_install_order, read_manifests
from kubewright.machinery.errors import DecodeError, ParseError
from kubewright.machinery.gvk import GroupVersionKind

TWO = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: one}
---
# nothing is here
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: b}
"""


def described(manifests: list[Manifest]) -> list[str]:
    return [str(manifest) for manifest in manifests]


@pytest.mark.parametrize("text", [TWO, TWO.encode(), "\n" + TWO, b"\xef\xbb\xbf" + TWO.encode()])
def test_the_documents_of_a_text(text: str | bytes) -> None:
    first, second = read_manifests(text)
    assert first.gvk == GroupVersionKind("", "v1", "ConfigMap")
    assert (first.name, first.namespace) == ("a", "one")
    assert (second.gvk.api_version, second.name, second.namespace) == ("apps/v1", "b", "")
    assert described([first, second]) == ["ConfigMap 'a' (document 1)", "Deployment 'b' (document 2)"]
    assert first.data["metadata"] == {"name": "a", "namespace": "one"}


@pytest.mark.parametrize(
    "text",
    [
        '{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}',
        '{\n\t"apiVersion": "v1",\n\t"kind": "Secret",\n\t"metadata": {"name": "s"}\n}\n',
        "{apiVersion: v1, kind: Secret, metadata: {name: s}}",
        b"{apiVersion: v1, kind: Secret, metadata: {name: s}}",
    ],
)
def test_json_and_texts_of_one_line(text: str | bytes) -> None:
    assert described(read_manifests(text)) == ["Secret 's' (document 1)"]


@pytest.mark.parametrize("text", ["---\n", "# nothing\n", b"", b"---\n---\n"])
def test_texts_with_nothing(text: str | bytes) -> None:
    assert read_manifests(text) == []


def test_lists_are_taken_apart() -> None:
    text = """
kind: List
apiVersion: v1
metadata: {}
items:
- {apiVersion: v1, kind: Secret, metadata: {name: a}}
- apiVersion: v1
  kind: ConfigMapList
  items: [{metadata: {name: b}}, {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}]
---
{kind: SecretList, apiVersion: v1, items: null}
---
# A kind of somebody's own, which is no list.
{kind: AllowList, apiVersion: example.com/v1, metadata: {name: d}, items: {a: b}}
"""
    assert described(read_manifests(text)) == [
        "Secret 'a' (document 1, item 1)",
        "ConfigMap 'b' (document 1, item 2, item 1)",
        "ConfigMap 'c' (document 1, item 2, item 2)",
        "AllowList 'd' (document 3)",
    ]


@pytest.mark.parametrize("as_text", [True, False])
def test_files_and_folders(tmp_path: Path, as_text: bool) -> None:
    (tmp_path / "b.yaml").write_text(TWO)
    (tmp_path / "c.yml").write_text("{apiVersion: v1, kind: Secret, metadata: {name: c}}")
    (tmp_path / "a.json").write_text('{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}')
    (tmp_path / "README.md").write_text("no YAML: [")
    (tmp_path / "deeper.yaml").mkdir()
    (tmp_path / "deeper.yaml" / "d.yaml").write_text(TWO)

    def source(path: Path) -> str | Path:
        return str(path) if as_text else path

    assert described(read_manifests(source(tmp_path))) == [
        f"Secret 'a' ({tmp_path}/a.json, document 1)",
        f"ConfigMap 'a' ({tmp_path}/b.yaml, document 1)",
        f"Deployment 'b' ({tmp_path}/b.yaml, document 2)",
        f"Secret 'c' ({tmp_path}/c.yml, document 1)",
    ]
    assert len(read_manifests(source(tmp_path / "b.yaml"))) == 2


def test_a_text_that_names_a_file_is_that_file_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a: b").write_text(TWO)
    (tmp_path / "manifests").write_text(TWO)
    assert len(read_manifests("a: b")) == len(read_manifests("manifests")) == 2


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("nope.yaml", "there is no file or folder 'nope.yaml'"),
        ("C:/nope.json", "there is no file or folder 'C:/nope.json'"),
        (Path("/nope/nope"), "there is no file or folder '/nope/nope'"),
        ("nope", "'nope' is neither YAML nor the name of a file or folder that is there"),
        ("", "'' is neither YAML nor the name of a file or folder that is there"),
        ("x" * 5000, "is neither YAML nor the name of a file"),
        ("a\0b", "is neither YAML nor the name of a file"),
        ("https://example.com/a.yaml", "is a URL; download it, and pass the text or the file"),
        ("a: [", "YAML does not decode: line 2, column 1: did not find expected node content"),
        ("- a: b\n", "document 1 is no object but a list; every object says its apiVersion and kind"),
        ("a\n", "document 1 is no object but a text"),
        ("1\n", "document 1 is no object but a number"),
        ("a: b", "document 1 has no apiVersion; every object says its apiVersion and kind"),
        ("apiVersion: v1", "document 1 has no kind"),
        ("{apiVersion: 1, kind: A}", "document 1 has no apiVersion"),
        ("{apiVersion: v1, kind: ''}", "document 1 has no kind"),
        ("{apiVersion: a/b/c, kind: A, metadata: {name: a}}", "document 1: apiVersion is 'a/b/c'"),
        ("{apiVersion: v1, kind: Pod}", "Pod (document 1) has no metadata.name"),
        ("{apiVersion: v1, kind: Pod, metadata: []}", "Pod (document 1) has no metadata.name"),
        ("{apiVersion: v1, kind: Pod, metadata: {name: 1}}", "Pod (document 1) has no metadata.name"),
        ("{apiVersion: v1, kind: Pod, metadata: {generateName: a-}}", "generateName is for creating"),
        (
            "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: 1}}",
            "metadata.namespace is no text but 1",
        ),
        (TWO + "---\na: b\n", "document 3 has no apiVersion"),
        ("{apiVersion: v1, kind: List, items: [1]}", "document 1, item 1 is no object but a number"),
    ],
)
def test_what_is_no_manifest(source: str | Path, words: str) -> None:
    with pytest.raises(ParseError, match=re.escape(words)) as raised:
        read_manifests(source)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 200


def test_mistakes_in_files_name_the_file(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"the folder .* has no file that ends in .yaml, .yml or .json"):
        read_manifests(tmp_path)
    file = tmp_path / "bad.yaml"
    file.write_text("a: [")
    with pytest.raises(DecodeError, match=rf"^{file}, YAML does not decode: line 2"):
        read_manifests(tmp_path)
    file.write_text("a: b")
    with pytest.raises(ParseError, match=rf"^{file}, document 1 has no apiVersion"):
        read_manifests(file)


KINDS = [
    "v1 Namespace",
    "apiextensions.k8s.io/v1 CustomResourceDefinition",
    "scheduling.k8s.io/v1 PriorityClass",
    "v1 ServiceAccount",
    "v1 Secret",
    "v1 ConfigMap",
    "v1 PersistentVolumeClaim",
    "rbac.authorization.k8s.io/v1 ClusterRole",
    "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
    "v1 Service",
    "v1 Pod",
    "apps/v1 Deployment",
    "autoscaling/v2 HorizontalPodAutoscaler",
    "batch/v1 Job",
    "networking.k8s.io/v1 Ingress",
    "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration",
]
CUSTOM = ["example.com/v1 Widget", "serving.knative.dev/v1 Service", "example.com/v1 Namespace"]


def a_manifest(text: str, number: int = 0) -> Manifest:
    return Manifest({}, GroupVersionKind.from_api_version(*text.split()), str(number), "", "")


@given(st.permutations(KINDS))
def test_the_install_order(kinds: list[str]) -> None:
    ordered = in_install_order(map(a_manifest, kinds))
    assert [f"{each.gvk.api_version} {each.gvk.kind}" for each in ordered] == KINDS


@given(st.lists(st.sampled_from(KINDS + CUSTOM)))
def test_objects_of_one_kind_and_custom_ones_keep_their_order(kinds: list[str]) -> None:
    ordered = in_install_order(a_manifest(kind, number) for number, kind in enumerate(kinds))
    custom = [each for each in ordered if f"{each.gvk.api_version} {each.gvk.kind}" in CUSTOM]
    assert ordered[len(ordered) - len(custom) :] == custom
    assert [int(each.name) for each in custom] == sorted(int(each.name) for each in custom)
    for kind in KINDS:
        numbers = [int(each.name) for each in ordered if f"{each.gvk.api_version} {each.gvk.kind}" == kind]
        assert numbers == sorted(numbers)
