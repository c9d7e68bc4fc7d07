"""Manifests of a project's code, in this process."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright import DeclarationError, Quantity
from kubewright.codegen.manifest_check import harmful_changes
from kubewright.codegen.manifest_files import HEADER, manifest_files, manifest_stream, write_manifests
from kubewright.codegen.manifest_yaml import dump_sorted
from kubewright.codegen.manifests import Manifests, manifests_of
from kubewright.codegen.project import ProjectError, load_project
from kubewright.machinery import yaml
from kubewright.machinery.errors import EncodeError, ParseError
from kubewright.models.apiextensions_v1 import CustomResourceDefinition
from tests.codegen.conftest import Load
from tests.codegen.manifest_project import write_operator

GOLDEN = Path(__file__).parent / "manifests_golden"


class Color(enum.StrEnum):
    RED = "red"


_HEAD = """
from kubewright import EMPTY, Resource, Struct, custom_resource
class Spec(Struct):
    size: int = 0
"""


def kind(name: str, **options: object) -> str:
    """The source of a kind."""
    given = {"group": "example.com", "version": "v1", **options}
    written = ", ".join(
        f"{key}={value if key == 'versions' else repr(value)}" for key, value in given.items()
    )
    return f"@custom_resource({written})\nclass {name}(Resource):\n    spec: Spec = EMPTY\n"


@pytest.fixture
def operator(tmp_path: Path, imported: None) -> Manifests:
    write_operator(tmp_path, "manifests_of_operator")
    project = load_project(tmp_path)
    return manifests_of(project, setup="manifests_of_operator.controller:setup")


class TestGolden:
    @pytest.mark.parametrize(
        "name", ["rbac/role.yaml", "rbac/leader_election_role.yaml", "webhook/manifests.yaml"]
    )
    def test_files(self, operator: Manifests, name: str) -> None:
        assert manifest_files(operator)[name] == (GOLDEN / Path(name).name).read_text()

    def test_names_of_files(self, operator: Manifests) -> None:
        assert sorted(manifest_files(operator)) == [
            "crd/bases/zhhnzw.mock.com_custompods.yaml",
            "rbac/leader_election_role.yaml",
            "rbac/role.yaml",
            "webhook/manifests.yaml",
        ]

    def test_a_definition_is_that_of_the_class_in_another_order(self, operator: Manifests) -> None:
        text = manifest_files(operator)["crd/bases/zhhnzw.mock.com_custompods.yaml"]
        assert text.startswith(f"{HEADER}\n---\napiVersion: apiextensions.k8s.io/v1\n")
        written = yaml.load(text)
        module = sys.modules["manifests_of_operator.kinds"]
        assert written == module.CustomPod.crd().to_dict()
        assert list(written["spec"]) == sorted(written["spec"])
        assert [each["name"] for each in written["spec"]["versions"]] == ["v1", "v1beta1"]
        assert "status" not in written
        assert "maximum: 1000\n" in text

    def test_the_stream_has_definitions_first(self, operator: Manifests) -> None:
        kinds = [each["kind"] for each in yaml.load_all(manifest_stream(operator))]
        assert kinds == [
            "CustomResourceDefinition",
            "ClusterRole",
            "Role",
            "Role",
            "MutatingWebhookConfiguration",
            "ValidatingWebhookConfiguration",
        ]


class TestKinds:
    def test_kinds_of_other_packages_are_not_written(self, load: Load) -> None:
        made = load(
            a=_HEAD + kind("Site"),
            b="from .a import Site\nfrom kubewright.models.core_v1 import Pod\n",
        )
        assert [each["metadata"]["name"] for each in made.definitions] == ["sites.example.com"]

    def test_kinds_in_folders_without_an_init_are_found(
        self, load: Load, tmp_path: Path, request: pytest.FixtureRequest
    ) -> None:
        place = tmp_path / "src" / f"manifests_of_{request.node.name}" / "api" / "v1"
        place.mkdir(parents=True)
        (place / "site.py").write_text(_HEAD + kind("Site"))
        (place.parent / "templates").mkdir()
        assert len(load().definitions) == 1

    def test_kinds_that_a_server_knows_already_are_not_written(self, load: Load) -> None:
        assert load(a=_HEAD + kind("Site", deferred=True)).definitions == []

    def test_the_storage_version_may_be_the_older_one(self, load: Load) -> None:
        made = load(
            a=_HEAD
            + kind("Old", version="v1", kind="Site")
            + kind("Site", version="v2", storage=False, versions="[Old]")
        )
        (definition,) = made.definitions
        versions = {each["name"]: each["storage"] for each in definition["spec"]["versions"]}
        assert versions == {"v1": True, "v2": False}

    def test_two_classes_that_know_nothing_of_each_other(self, load: Load) -> None:
        with pytest.raises(DeclarationError) as raised:
            load(a=_HEAD + kind("Site"), b=_HEAD + kind("Site", version="v2"))
        said = str(raised.value)
        assert "a.Site (v1) and manifests_of" in said
        assert "are versions of sites.example.com" in said

    def test_one_class_twice(self, load: Load) -> None:
        with pytest.raises(ProjectError, match="declared twice"):
            load(a=_HEAD + kind("Site"), b=_HEAD + kind("Site"))

    def test_a_version_alone_that_is_not_stored(self, load: Load) -> None:
        with pytest.raises(DeclarationError, match="storage"):
            load(a=_HEAD + kind("Site", storage=False))

    def test_conversion_functions_have_a_webhook(self, load: Load) -> None:
        methods = (
            "    def to_hub(self) -> Site: return Site(spec=self.spec)\n"
            "    @classmethod\n"
            "    def from_hub(cls, hub: Site): return cls(spec=hub.spec)\n"
        )
        made = load(
            a=_HEAD + kind("Site", versions='[".b:Old"]'),
            b="from .a import *\n" + kind("Old", version="v1beta1", kind="Site", storage=False) + methods,
        )
        (definition,) = made.definitions
        conversion = definition["spec"]["conversion"]
        assert conversion["strategy"] == "Webhook"
        service = conversion["webhook"]["clientConfig"]["service"]
        assert (service["name"], service["namespace"], service["path"]) == (
            "webhook-service",
            "system",
            "/convert",
        )


_FUNCTIONS = """
from kubewright.controllers import rbac
from kubewright.models.core_v1 import ConfigMap, Pod
from kubewright.webhooks.declaration import defaulting, validating
import functools

@validating(Pod)
async def check(pod: Pod) -> None: ...

@validating(Pod, path="/two", name="two.example.com")
async def check_more(pod: Pod) -> None: ...
"""


class TestMarks:
    def test_marks_everywhere_in_classes(self, load: Load) -> None:
        made = load(
            a=f"""{_FUNCTIONS}
@rbac(Pod, verbs=["get"])
class Outer:
    @rbac(Pod, verbs=["list"])
    def method(self): ...
    @staticmethod
    @rbac(Pod, verbs=["watch"])
    def static(): ...
    @classmethod
    @rbac(Pod, verbs=["patch"])
    def of_class(cls): ...
    class Inner:
        @rbac(Pod, verbs=["delete"])
        async def method(self): ...
"""
        )
        (role,) = made.roles
        assert [rule["verbs"] for rule in role["rules"]] == [["delete", "get", "list", "patch", "watch"]]

    def test_marks_of_what_is_registered_and_nowhere_else(self, load: Load) -> None:
        made = load(
            setup="a:setup",
            a=f"""{_FUNCTIONS}
def setup(manager):
    class Reconciler:
        @rbac(ConfigMap, verbs=["update"])
        async def reconcile(self, ctx, request): ...
    @rbac(ConfigMap, verbs=["patch"])
    async def function(extra, ctx, request): ...
    manager.controller(Pod, Reconciler().reconcile)
    manager.controller(Pod, functools.partial(function, 1))
""",
        )
        (role,) = made.roles
        (rule,) = (rule for rule in role["rules"] if rule["resources"] == ["configmaps"])
        assert rule["verbs"] == ["patch", "update"]

    def test_an_asynchronous_setup(self, load: Load) -> None:
        made = load(
            setup="a:setup", a=f"{_FUNCTIONS}\nasync def setup(manager):\n    manager.webhook(check)\n"
        )
        (configuration,) = made.webhooks
        assert [each["name"] for each in configuration["webhooks"]] == ["vpod-v1.core.k8s.io"]
        (note,) = made.notes
        assert note.startswith("two.example.com is not written: ")
        assert "/two" in note

    def test_without_setup_all_webhooks_are_written(self, load: Load) -> None:
        (configuration,) = load(a=_FUNCTIONS).webhooks
        assert [each["name"] for each in configuration["webhooks"]] == [
            "two.example.com",
            "vpod-v1.core.k8s.io",
        ]

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ('path="/two", name="three.example.com"', "two webhooks are served at /two"),
            ('path="/three", name="two.example.com"', "two webhooks are called two.example.com"),
        ],
    )
    def test_webhooks_that_cannot_be_told_apart(self, load: Load, options: str, said: str) -> None:
        with pytest.raises(DeclarationError) as raised:
            load(a=f"{_FUNCTIONS}\n@validating(Pod, {options})\nasync def third(pod): ...\n")
        assert said in str(raised.value)

    @pytest.mark.parametrize(
        ("expression", "said"),
        [
            ("object.spec.", "'bad' is refused: ERROR"),
            ("size('a')", "'bad' is refused: it is int, and must be bool"),
            ("unknown == 1", "undeclared reference to 'unknown'"),
        ],
    )
    def test_match_conditions_that_are_no_conditions(self, load: Load, expression: str, said: str) -> None:
        pytest.importorskip("cel_expr_python")
        with pytest.raises(DeclarationError) as raised:
            load(
                a=f"{_FUNCTIONS}\n@defaulting(Pod, match_conditions={{'bad': {expression!r}}})\n"
                "async def third(pod): ...\n"
            )
        assert said in str(raised.value)
        assert "\n" not in str(raised.value)

    def test_match_conditions_whose_type_only_the_server_knows(self, load: Load) -> None:
        made = load(
            a=f"{_FUNCTIONS}\n@defaulting(Pod, match_conditions={{'dry': 'request.dryRun'}})\n"
            "async def third(pod): ...\n"
        )
        assert made.webhooks[0]["webhooks"][0]["matchConditions"] == [
            {"name": "dry", "expression": "request.dryRun"}
        ]

    @pytest.mark.parametrize(
        ("setup", "said"),
        [
            ("a", "write it as"),
            ("a:missing", "there is no such function"),
            ("nowhere:setup", "No module named"),
            ("a:NUMBER", "which is no function"),
            ("a:fails", "a:fails failed: KeyError: 'x'"),
            ("a:leaves", "a:leaves failed: SystemExit: 3"),
            ("a:looks", "manager.client, but there is no cluster"),
            ("a:nothing", "webhook(setup"),
        ],
    )
    def test_a_setup_that_cannot_be_used(self, load: Load, setup: str, said: str) -> None:
        source = """
NUMBER = 3
def fails(manager): raise KeyError("x")
def leaves(manager): raise SystemExit(3)
def looks(manager): manager.client.api()
def setup(manager): ...
def nothing(manager): manager.webhook(setup)
"""
        with pytest.raises(ProjectError) as raised:
            load(setup=setup, a=source)
        assert said in str(raised.value)
        assert "\n" not in str(raised.value)

    def test_nothing_at_all(self, load: Load) -> None:
        made = load(a="x = 1\n")
        assert manifest_files(made) == {}
        assert manifest_stream(made) == ""


class TestFiles:
    def test_only_what_changed_is_written(self, tmp_path: Path) -> None:
        files = {"rbac/role.yaml": f"{HEADER}\na: 1\n", "webhook/manifests.yaml": f"{HEADER}\nb: 1\n"}
        role, webhook = (tmp_path / name for name in files)
        done = write_manifests(tmp_path, files)
        assert (done.written, done.unchanged, done.stale) == ([role, webhook], [], [])
        before = webhook.stat().st_mtime_ns, webhook.stat().st_ino
        done = write_manifests(tmp_path, {**files, "rbac/role.yaml": f"{HEADER}\na: 2\n"})
        assert (done.written, done.unchanged) == ([role], [webhook])
        assert (webhook.stat().st_mtime_ns, webhook.stat().st_ino) == before
        assert role.read_text().endswith("a: 2\n")
        assert sorted(path.name for path in tmp_path.rglob("*.*")) == ["manifests.yaml", "role.yaml"]

    def test_what_a_person_wrote_stays_and_nothing_is_written(self, tmp_path: Path) -> None:
        mine = tmp_path / "webhook" / "manifests.yaml"
        mine.parent.mkdir()
        mine.write_text(f"# mine\n{HEADER}\n")
        files = {"rbac/role.yaml": f"{HEADER}\na: 1\n", "webhook/manifests.yaml": f"{HEADER}\nb: 1\n"}
        with pytest.raises(ParseError, match=r"manifests\.yaml was not generated"):
            write_manifests(tmp_path, files)
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == [mine]
        assert mine.read_text() == f"# mine\n{HEADER}\n"

    def test_what_has_no_kind_any_more_is_named(self, tmp_path: Path) -> None:
        files = {f"crd/bases/example.com_{name}.yaml": f"{HEADER}\n{name}: 1\n" for name in ("a", "b")}
        write_manifests(tmp_path, files)
        (tmp_path / "crd" / "bases" / "mine.yaml").write_text("mine: 1\n")
        done = write_manifests(tmp_path, {"crd/bases/example.com_b.yaml": f"{HEADER}\nb: 1\n"})
        assert done.stale == [tmp_path / "crd/bases/example.com_a.yaml"]
        assert done.stale[0].exists()

    def test_a_write_that_fails_leaves_the_old_file(self, tmp_path: Path) -> None:
        path = tmp_path / "rbac" / "role.yaml"
        write_manifests(tmp_path, {"rbac/role.yaml": f"{HEADER}\na: 1\n"})
        (path.parent / ".role.yaml.new").mkdir()
        with pytest.raises(OSError, match="directory"):
            write_manifests(tmp_path, {"rbac/role.yaml": f"{HEADER}\na: 2\n"})
        assert path.read_text() == f"{HEADER}\na: 1\n"


class TestCheck:
    def test_a_change_and_a_kind_that_is_gone(self, operator: Manifests) -> None:
        (definition,) = operator.definitions
        old = CustomResourceDefinition.from_dict(definition).to_dict()
        assert harmful_changes([old], operator.definitions) == []
        spec = old["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
        spec["properties"]["replicas"]["maximum"] = 2000
        spec["properties"]["color"] = {"type": "string"}
        gone = {**old, "metadata": {"name": "sites.example.com"}}
        found = harmful_changes([old, gone], operator.definitions)
        assert [line.partition(":")[0] for line in found] == ["custompods.zhhnzw.mock.com"] * 2 + [
            "sites.example.com"
        ]
        assert any(".spec.replicas" in line for line in found)
        assert any(".spec.color" in line for line in found)
        assert "no such kind any more" in found[-1]

    def test_what_does_not_decode(self) -> None:
        with pytest.raises(ParseError, match="an old definition does not decode"):
            harmful_changes([{"metadata": {"name": 3}}], [])


def in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(each) for each in value] if isinstance(value, list) else value


texts = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        [
            "",
            "a: b",
            "# x",
            "yes",
            "null",
            "1",
            "1.0",
            "0x1",
            "- a",
            "a\nb",
            " a\n  b\n",
            "a \nb",
            "\n",
            "'",
            '"',
        ]
    ),
    st.text(alphabet="ab \n:#-", max_size=12),
    st.text(alphabet="ab", min_size=90, max_size=150),
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


class TestYaml:
    @given(st.dictionaries(texts, values, max_size=4))
    def test_it_is_what_is_written_elsewhere_in_order(self, data: dict[str, Any]) -> None:
        assert dump_sorted(data) == yaml.dump(in_order(data))

    @pytest.mark.parametrize(
        "data",
        [
            {"a": {"b": "one\n\ntwo\n"}, "c": 1},
            {"a": {"b": ["one\n\ntwo", "  three\nfour"]}},
            {"a": {"b": "open\n\n"}, "c": 1},
            {"a": [["open\n\n"], "c"]},
            {"a": [{"b": 1, "a": [[1, [2]], {"c": {}}]}, []]},
            {"a": "text with 'quotes', \u00e9 and #"},
        ],
    )
    def test_texts_of_several_lines(self, data: dict[str, Any]) -> None:
        assert dump_sorted(data) == yaml.dump(in_order(data))
        assert yaml.load(dump_sorted(data)) == data

    def test_data_that_is_not_plain_becomes_so(self) -> None:
        data = {"a": (1, "x"), "b": Quantity("1Gi"), "c": {"d": Color.RED}, "e": [()]}
        assert yaml.load(dump_sorted(data)) == {"a": [1, "x"], "b": "1Gi", "c": {"d": "red"}, "e": [[]]}

    def test_other_data_is_refused(self) -> None:
        with pytest.raises(EncodeError):
            dump_sorted({"a": object()})
