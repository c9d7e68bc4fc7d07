"""`kubewright create api` and `kubewright create webhook`: again and again, beside what a person wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubewright.scaffold.pristine import copy_path, encode_copy
from kubewright.scaffold.project import locked, read_record
from tests.cli.commands import run_command
from tests.cli.scaffolds import KIND, answer, contents, copied, new_project, refusal, run, write_as_scaffold

SECOND_VERSION = ("--group", "zhhnzw", "--version", "v2", "--kind", "CustomPod")
OTHER = ("--group", "zhhnzw", "--version", "v1", "--kind", "Other")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a kind; tests copy it."""
    return new_project(tmp_path_factory.mktemp("made"), KIND)


@pytest.fixture
def project(made: Path, tmp_path: Path) -> Path:
    return copied(made, tmp_path / "operator-demo")


def test_help(tmp_path: Path) -> None:
    for command, options in (
        ((), ("api", "webhook")),
        (("api",), ("--group", "--version", "--kind", "--plural", "--cluster-scoped", "--no-controller")),
        (("webhook",), ("--defaulting", "--validation", "--conversion")),
    ):
        told = run(tmp_path, "create", *command, "--help").stdout
        for text in (*options, "Example", "kubewright create"):
            assert text in told


def test_a_kind(project: Path) -> None:
    for path in (
        "src/operator_demo/api/v1/custompod.py",
        "src/operator_demo/controllers/custompod.py",
        "tests/test_custompod.py",
        "config/samples/zhhnzw_v1_custompod.yaml",
    ):
        assert (project / path).is_file()
        assert (project / copy_path(path)).read_bytes() == encode_copy((project / path).read_text())
    assert "custompod" in (project / "src/operator_demo/controllers/__init__.py").read_text()


def test_what_is_said(project: Path) -> None:
    lines = run(project, "create", "api", *OTHER).stdout.splitlines()
    assert "created src/operator_demo/api/v1/other.py" in lines
    assert "changed src/operator_demo/controllers/__init__.py" in lines
    assert lines[-3:] == ["Next:", "  edit src/operator_demo/api/v1/other.py", "  kubewright manifests"]


def test_the_files_that_webhooks_are_edited_in(project: Path) -> None:
    run(project, "create", "api", *SECOND_VERSION)
    ended = run(project, "create", "webhook", *KIND, "--conversion", "--validation")
    assert ended.stdout.splitlines()[-4:] == [
        "Next:",
        "  edit src/operator_demo/webhooks/v1/custompod.py",
        "  edit src/operator_demo/api/v2/custompod.py",
        "  kubewright manifests",
    ]


def test_the_same_again_changes_nothing_and_says_so(project: Path) -> None:
    before = contents(project)
    told = "CustomPod of zhhnzw.mock.com/v1 is there already, and nothing has changed\n"
    assert run(project, "create", "api", *KIND).stdout == told
    assert contents(project) == before
    webhook = ("create", "webhook", *KIND, "--defaulting", "--validation")
    assert answer(project, *webhook)["created"]
    before = contents(project)
    assert run(project, *webhook).stdout == told
    assert run(project, "create", "webhook", *KIND, "--validation").stdout == told
    assert run(project, "create", "api", *KIND).stdout == told
    assert contents(project) == before


def test_the_answer_for_scripts(project: Path) -> None:
    found = answer(project, "create", "api", *KIND)
    assert found == {
        "group": "zhhnzw.mock.com",
        "version": "v1",
        "kind": "CustomPod",
        "created": [],
        "changed": [],
        "deleted": [],
        "kept": {},
        "conflicts": [],
    }
    found = answer(project, "create", "webhook", *KIND, "--defaulting")
    assert "src/operator_demo/webhooks/v1/custompod.py" in found["created"]
    assert "src/operator_demo/__main__.py" in found["changed"]


def test_another_version_another_group_and_no_group(project: Path) -> None:
    run(project, "create", "api", *SECOND_VERSION)
    run(project, "create", "api", "--group", "apps", "--version", "v1alpha1", "--kind", "Widget")
    run(project, "create", "api", "--group", "", "--version", "v1", "--kind", "Thing", "--cluster-scoped")
    run(
        project,
        "create",
        "api",
        "--group",
        "apps",
        "--version",
        "v1",
        "--kind",
        "CustomPod",
        "--no-controller",
    )
    run(project, "create", "webhook", *KIND, "--conversion")
    record = read_record(project)
    assert [(record.api_group(each), each.version, each.kind) for each in record.kinds] == [
        ("zhhnzw.mock.com", "v1", "CustomPod"),
        ("zhhnzw.mock.com", "v2", "CustomPod"),
        ("apps.mock.com", "v1alpha1", "Widget"),
        ("mock.com", "v1", "Thing"),
        ("apps.mock.com", "v1", "CustomPod"),
    ]
    assert not record.kinds[3].namespaced
    assert not record.kinds[4].controller
    for path in project.rglob("*.py"):
        compile(path.read_text(), path, "exec")


def test_unusual_names_work_to_the_end(tmp_path: Path) -> None:
    project = new_project(tmp_path)
    kinds = ["Type", "Match", "Pod", "Foo", "FooSpec", "FooStatus", "X", "Setup", "HTTPRoute", "Exception"]
    for kind in kinds:
        run(project, "create", "api", "--group", "g", "--version", "v1", "--kind", kind)
    run(project, "create", "api", "--group", "h", "--version", "v1", "--kind", "Foo")
    ended = run_command("manifests", folder=project)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(list((project / "config/crd/bases").iterdir())) == len(kinds) + 1


# What a person may have put into each module, where the scaffold puts nothing: at its end.
OWN = '\n\ndef my_own() -> str:\n    """What a person wrote."""\n    return "mine"\n'


def test_what_a_person_wrote_in_any_module_stays(project: Path) -> None:
    """Of a second kind, webhooks, a second version and conversions, in this order."""
    edited = []
    for path in sorted(project.rglob("*.py")):
        if ".kubewright" not in path.parts:
            text = path.read_text()
            if "if __name__" in text:  # The program ends with a call.
                text = text.replace("\n\nif __name__", f"{OWN}\n\nif __name__")
            else:
                text += OWN
            path.write_text(text)
            edited.append(path)
    assert len(edited) >= 7
    for command in (
        ("api", *OTHER),
        ("webhook", *KIND, "--defaulting", "--validation"),
        ("webhook", *OTHER, "--validation"),
        ("api", *SECOND_VERSION),
        ("webhook", *KIND, "--conversion"),
    ):
        found = answer(project, "create", *command)
        assert found["conflicts"] == [], command
        assert found["kept"] == {}
    for path in edited:
        text = path.read_text()
        assert text.count(OWN.strip()) == 1, path
        compile(text, path, "exec")
    registered = (project / "src/operator_demo/controllers/__init__.py").read_text()
    assert "setup_other(manager)" in registered
    assert "setup_webhooks(manager)" in registered


def test_changed_lines_stay_beside_new_ones(project: Path) -> None:
    controllers = project / "src/operator_demo/controllers/__init__.py"
    text = controllers.read_text()
    mine = text.replace(
        "    setup_custompod(manager)\n", "    setup_custompod(manager)\n    setup_mine(manager)\n"
    )
    assert mine != text
    controllers.write_text(mine)
    assert answer(project, "create", "api", *OTHER)["conflicts"] == []
    lines = controllers.read_text().splitlines()
    place = lines.index("    setup_custompod(manager)")
    assert lines[place : place + 3] == [
        "    setup_custompod(manager)",
        "    setup_other(manager)",
        "    setup_mine(manager)",
    ]


def test_lines_that_people_change_first_do_not_end_in_conflicts(project: Path) -> None:
    """The options of a kind, what a controller owns, and functions of one's own at the end of modules."""
    kind = project / "src/operator_demo/api/v1/custompod.py"
    text = kind.read_text()
    options = '    short_names=["cpod"],\n    subresources=["status", "scale"],\n'
    assert '    subresources=["status"],\n' in text
    kind.write_text(text.replace('    subresources=["status"],\n', options))
    controller = project / "src/operator_demo/controllers/custompod.py"
    text = controller.read_text()
    assert "(CustomPod, reconcile)" in text
    controller.write_text(text.replace("(CustomPod, reconcile)", "(CustomPod, reconcile, workers=4)"))
    commands = [
        ("webhook", *KIND, "--defaulting"),
        ("api", *SECOND_VERSION),
        ("webhook", *KIND, "--validation"),
        ("webhook", *KIND, "--conversion"),
        ("api", *OTHER),
    ]
    for command in commands:
        assert answer(project, "create", *command)["conflicts"] == [], command
        for path in project.glob("[st]*/**/*.py"):
            if OWN not in path.read_text() and path.name not in ("__init__.py", "__main__.py"):
                path.write_text(path.read_text() + OWN)
    text = kind.read_text()
    assert options in text
    assert 'versions=["' in text.replace("\n        ", "")
    for path in project.glob("[st]*/**/*.py"):
        compile(path.read_text(), path, "exec")


def test_own_files_and_deleted_ones_are_kept_and_told_of(project: Path) -> None:
    (project / "src/operator_demo/controllers/other.py").write_text("mine = 1\n")
    (project / "config/rbac/kustomization.yaml").unlink()
    lines = run(project, "create", "api", *OTHER).stdout.splitlines()
    assert "kept src/operator_demo/controllers/other.py: it is a file of your own" in lines
    assert "kept config/rbac/kustomization.yaml: you deleted it" in lines
    assert (project / "src/operator_demo/controllers/other.py").read_text() == "mine = 1\n"
    assert not (project / "config/rbac/kustomization.yaml").exists()


def test_conflicts(project: Path) -> None:
    kustomization = project / "config/crd/kustomization.yaml"
    kustomization.write_text("mine: 1\n")
    ended = run(project, "create", "api", *OTHER, exit_code=1)
    assert "conflict in config/crd/kustomization.yaml" in ended.stdout.splitlines()
    assert "edit these files, delete the marks, and run the tests" in ended.stdout
    assert "Next:" not in ended.stdout
    assert "<<<<<<< yours\nmine: 1\n" in kustomization.read_text()
    for command in (("api", *OTHER), ("webhook", *OTHER, "--validation")):
        told = refusal(project, "create", *command)
        assert told.startswith(
            "config/crd/kustomization.yaml has conflicts of an earlier run or merge; choose what"
        )
    kustomization.write_text("mine: 1\n")
    assert "nothing has changed" in run(project, "create", "api", *OTHER).stdout


def test_webhooks_for_a_kind_that_is_not_there(project: Path) -> None:
    told = refusal(project, "create", "webhook", *OTHER, "--defaulting")
    command = "kubewright create api --group zhhnzw --kind Other --version v1"
    assert told == f"the project has no Other of version v1; run `{command}` first"
    run(project, *command.split()[1:])
    run(project, "create", "webhook", *OTHER, "--defaulting")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["api", "--group", "g", "--version", "v1", "--kind", "Class"],
            "Class cannot be a kind, since class",
        ),
        (["api", "--group", "g", "--version", "v1", "--kind", "pod"], "'pod' cannot be a kind"),
        (["api", "--group", "G!", "--version", "v1", "--kind", "Pod"], "'G!' cannot be a group of an API"),
        (["api", "--group", "g", "--version", "1", "--kind", "Pod"], "'1' is no version of an API"),
        (
            ["api", "--group", "g", "--version", "v1", "--kind", "P", "--plural", "P"],
            "'P' cannot be a plural",
        ),
        (["api", "--group", "g", "--version", "v1", "--kind", "PodList"], "PodList cannot be a kind"),
        (
            ["webhook", *KIND],
            "say what the webhooks are for: give --defaulting, --validation or --conversion",
        ),
        (["webhook", "--group", "g", "--version", "v1", "--kind", "None"], "None cannot be a kind"),
    ],
)
def test_wrong_names(made: Path, arguments: list[str], sentence: str) -> None:
    assert refusal(made, "create", *arguments, exit_code=2).startswith(sentence)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["api", "--group", "zhhnzw", "--version", "v1", "--kind", "Custompod"], "differs in capitals only"),
        (["api", *KIND, "--plural", "pods"], "has the plural custompods in all its versions"),
        (["api", *KIND, "--cluster-scoped"], "lies in namespaces in all its versions"),
        (["api", *KIND, "--no-controller"], "has a controller already, which no command takes away"),
        (["api", *OTHER, "--plural", "custompods"], "give another --plural for Other"),
        (["webhook", *KIND, "--conversion"], "has one version, and nothing to convert to; run `kubewright"),
    ],
)
def test_what_contradicts_the_project(made: Path, arguments: list[str], sentence: str) -> None:
    assert sentence in refusal(made, "create", *arguments)


def test_folders_that_are_no_project(made: Path, tmp_path: Path) -> None:
    for command in (("create", "api", *OTHER), ("create", "webhook", *KIND, "--validation"), ("upgrade",)):
        assert "is no project, since it has no" in refusal(tmp_path, *command, exit_code=2)
        told = refusal(made / "src/operator_demo", *command, exit_code=2)
        assert told == f"this folder is within the project {made}; go to its folder: cd {made}"


def test_one_command_at_a_time(made: Path) -> None:
    with locked(made):
        assert "another kubewright command is changing" in refusal(made, "create", "api", *OTHER)


def test_an_older_project_is_upgraded_first(project: Path) -> None:
    record = project / ".kubewright/project.json"
    text = record.read_text().replace(f'"{read_record(project).kubewright}"', '"0.0.1"')
    record.write_text(text)
    # Nothing differs but the version: then there is nothing to upgrade.
    run(project, "create", "api", *OTHER)
    record.write_text(text)
    write_as_scaffold(project, "Makefile", "# older\n" + (project / "Makefile").read_text())
    told = refusal(project, "create", "api", *OTHER)
    assert told.startswith("the project has the scaffold of kubewright 0.0.1, and this is ")
    assert told.endswith("; run `kubewright upgrade` first")


def test_a_project_of_a_newer_kubewright(project: Path) -> None:
    record = project / ".kubewright/project.json"
    record.write_text('{"kubewright": "99.0", "unknown": true}')
    for command in (("create", "api", *OTHER), ("upgrade",)):
        assert "was made by kubewright 99.0, and this is" in refusal(project, *command)
