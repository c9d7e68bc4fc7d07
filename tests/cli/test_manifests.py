"""`kubewright manifests`, in a process."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kubewright.machinery import yaml
from tests.cli.commands import refusal, run_command
from tests.codegen.manifest_project import write_operator, write_package

FILES = [
    "crd/bases/zhhnzw.mock.com_custompods.yaml",
    "rbac/leader_election_role.yaml",
    "rbac/role.yaml",
    "webhook/manifests.yaml",
]


def run(
    folder: Path, *arguments: str, given: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return run_command("manifests", *arguments, folder=folder, given=given, **environment)


def refused(folder: Path, *arguments: str) -> str:
    """The one sentence that the command refuses with."""
    return refusal(run(folder, *arguments), exit_code=2)


@pytest.fixture
def operator(tmp_path: Path) -> Path:
    write_operator(tmp_path, "operator_demo")
    return tmp_path


def texts(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()
    }


def test_help(tmp_path: Path) -> None:
    ended = run(tmp_path, "--help")
    assert ended.returncode == 0
    for text in ("--package", "--setup", "--output", "--check", "--verbose", "Example"):
        assert text in ended.stdout


def test_writes_once_and_the_same_on_every_run(operator: Path) -> None:
    first = run(operator, PYTHONHASHSEED="1")
    assert (first.returncode, first.stderr) == (0, "printed when it is imported\n")
    assert first.stdout.splitlines() == [f"wrote config/{name}" for name in FILES]
    written = texts(operator / "config")
    assert sorted(written) == FILES
    again = run(operator, PYTHONHASHSEED="2")
    assert again.stdout.splitlines() == [f"unchanged config/{name}" for name in FILES]
    assert texts(operator / "config") == written
    elsewhere = run(operator, "--output", "other", PYTHONHASHSEED="3")
    assert elsewhere.stdout.splitlines() == [f"wrote other/{name}" for name in FILES]
    assert texts(operator / "other") == written


def test_to_standard_output(operator: Path) -> None:
    ended = run(operator, "--output", "-")
    assert (ended.returncode, ended.stderr) == (0, "printed when it is imported\n")
    kinds = [document["kind"] for document in yaml.load_all(ended.stdout)]
    assert kinds[0] == "CustomResourceDefinition"
    assert kinds[-1] == "ValidatingWebhookConfiguration"
    assert not (operator / "config").exists()


def test_settings_and_options(operator: Path) -> None:
    (operator / "pyproject.toml").write_text(
        '[tool.kubewright]\npackage = "operator_demo"\nmanifests = "deploy/base"\n'
    )
    ended = run(operator)
    assert "wrote deploy/base/rbac/role.yaml" in ended.stdout
    (operator / "pyproject.toml").unlink()
    ended = run(operator, "--package", "operator_demo", "--setup", "operator_demo.controller:setup")
    assert ended.stdout.splitlines() == [f"wrote config/{name}" for name in FILES]
    # The settings had no setup function, and so no controller.
    assert "configmaps" in (operator / "config" / "rbac" / "role.yaml").read_text()
    assert "configmaps" not in (operator / "deploy/base/rbac/role.yaml").read_text()


def test_what_a_person_wrote_and_what_is_left_over(operator: Path) -> None:
    role = operator / "config" / "rbac" / "role.yaml"
    role.parent.mkdir(parents=True)
    role.write_text("mine: true\n")
    ended = run(operator)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "config/rbac/role.yaml was not generated" in ended.stderr
    assert texts(operator / "config") == {"rbac/role.yaml": "mine: true\n"}
    role.unlink()
    assert run(operator).returncode == 0
    (operator / "src" / "operator_demo" / "controller.py").unlink()
    (operator / "src" / "operator_demo" / "kinds.py").write_text("")
    (operator / "pyproject.toml").write_text('[tool.kubewright]\npackage = "operator_demo"\n')
    ended = run(operator)
    assert (ended.returncode, ended.stdout) == (0, "")
    nothing, *stale = ended.stderr.splitlines()
    assert "nothing to write" in nothing
    assert [line.partition(" ")[0] for line in stale] == [f"config/{name}" for name in FILES]
    assert sorted(texts(operator / "config")) == FILES


class TestCheck:
    @pytest.mark.slow
    def test_nothing_changed(self, operator: Path) -> None:
        run(operator)
        before = texts(operator / "config")
        for old in ("config", "config/crd/bases", f"config/{FILES[0]}"):
            ended = run(operator, "--check", old)
            assert (ended.returncode, ended.stdout) == (0, "")
        stream = run(operator, "--output", "-").stdout
        assert run(operator, "--check", "-", given=stream).returncode == 0
        assert texts(operator / "config") == before

    def test_findings_have_the_exit_code_1_and_nothing_is_written(self, operator: Path) -> None:
        run(operator)
        before = texts(operator / "config")
        kinds = operator / "src" / "operator_demo" / "kinds.py"
        kinds.write_text(kinds.read_text().replace("maximum=1000", "maximum=10"))
        ended = run(operator, "--check", "config")
        assert ended.returncode == 1
        assert ended.stdout
        for line in ended.stdout.splitlines():
            assert line.startswith("custompods.zhhnzw.mock.com: ")
            assert ".spec.replicas" in line
        assert texts(operator / "config") == before

    def test_an_old_definition_that_kept_what_it_did_not_know(self, operator: Path) -> None:
        old = {
            "apiVersion": "apiextensions.k8s.io/v1beta1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "custompods.zhhnzw.mock.com"},
            "spec": {
                "group": "zhhnzw.mock.com",
                "version": "v1",
                "names": {"kind": "CustomPod", "plural": "custompods"},
                "scope": "Namespaced",
                "validation": {"openAPIV3Schema": {"properties": {"spec": {"type": "object"}}}},
            },
        }
        ended = run(operator, "--check", "-", given=yaml.dump(old))
        assert ended.returncode == 1
        assert "custompods.zhhnzw.mock.com: v1 .spec: unknown fields are no longer preserved" in ended.stdout

    def test_a_kind_that_is_gone(self, operator: Path) -> None:
        run(operator)
        kinds = operator / "src" / "operator_demo" / "kinds.py"
        kinds.write_text(kinds.read_text().replace("zhhnzw.mock.com", "other.mock.com"))
        ended = run(operator, "--check", "config")
        assert (ended.returncode, ended.stdout) == (
            1,
            "custompods.zhhnzw.mock.com: the code has no such kind any more; its objects go away with it\n",
        )

    def test_what_is_no_definition(self, operator: Path) -> None:
        run(operator)
        ended = run(operator, "--check", "config/rbac/role.yaml")
        assert ended.returncode == 2
        assert "there is no CustomResourceDefinition in it" in ended.stderr
        ended = run(operator, "--check", "missing.yaml")
        assert ended.returncode == 2
        assert "missing.yaml" in ended.stderr


class TestMistakes:
    def test_no_project(self, tmp_path: Path) -> None:
        assert "give --package" in refused(tmp_path)
        assert "there is no package nowhere" in refused(tmp_path, "--package", "nowhere")

    def test_a_module_that_does_not_import(self, tmp_path: Path) -> None:
        write_package(tmp_path, "broken", {"bad.py": "import nowhere_to_be_found\n"})
        said = refused(tmp_path)
        assert "broken.bad" in said
        assert "ModuleNotFoundError: No module named 'nowhere_to_be_found'" in said
        ended = run(tmp_path, "--verbose")
        assert ended.returncode == 2
        assert "Traceback" in ended.stderr
        assert ended.stderr.splitlines()[-1].startswith("Error: the module broken.bad cannot be imported")

    def test_a_mark_that_is_wrong(self, tmp_path: Path) -> None:
        source = """
            from kubewright.controllers import rbac
            from kubewright.models.core_v1 import Pod

            @rbac(Pod, verbs=["watsch"])
            def reconcile(): ...
        """
        write_package(tmp_path, "broken", {"marks.py": source})
        said = refused(tmp_path)
        assert "@rbac(Pod): there is no verb 'watsch'" in said

    def test_the_main_module_is_not_run(self, tmp_path: Path) -> None:
        write_package(tmp_path, "program", {"__main__.py": "raise SystemExit(7)\n"})
        assert run(tmp_path).returncode == 0

    def test_setup(self, operator: Path) -> None:
        ended = run(operator, "--setup", "operator_demo.controller:setup_all")
        assert ended.returncode == 2
        assert ended.stderr.splitlines()[-1].startswith(
            "Error: setup is 'operator_demo.controller:setup_all'"
        )
        (operator / "pyproject.toml").write_text('[tool.kubewright]\npackage = "operator_demo"\nsetup = 3\n')
        ended = run(operator)
        assert ended.returncode == 2
        assert "setup below [tool.kubewright] must be a text" in ended.stderr
        assert not (operator / "config").exists()

    def test_an_output_of_other_commands(self, operator: Path) -> None:
        assert refused(operator, "--output", "json").startswith("--output is a folder, or - for standard out")
        assert not (operator / "json").exists()

    def test_an_output_that_cannot_be_written(self, operator: Path) -> None:
        (operator / "config").write_text("a file")
        ended = run(operator)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert "config" in ended.stderr.splitlines()[-1]
