"""`kubewright generate client`, in a process and in the folder of a project."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kubewright.codegen.project import CLIENT_HEADER
from tests.cli.commands import refusal, run_command
from tests.codegen.projects import HEAD, KINDS, kind, write_project

FILES = ["__init__.py", "clientset.py", "informers.py", "listers.py", "py.typed", "sync.py"]


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_command("generate", "client", *arguments, folder=folder, **environment)


def refused(folder: Path, *arguments: str) -> str:
    """The one sentence that the command refuses with."""
    return refusal(run(folder, *arguments), exit_code=2)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {"src/operator_demo/__init__.py": "", "src/operator_demo/kinds.py": KINDS}
    return write_project(tmp_path, files, package="operator_demo")


def test_help(tmp_path: Path) -> None:
    ended = run(tmp_path, "--help")
    assert ended.returncode == 0
    for text in ("--package", "--output", "pyproject.toml", "Example"):
        assert text in ended.stdout


def test_writes_once_and_the_same_on_every_run(project: Path) -> None:
    ended = run(project, PYTHONHASHSEED="1")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines() == [f"wrote src/operator_demo/client/{name}" for name in FILES]
    assert run(project).stdout == "src/operator_demo/client is up to date\n"
    other = run(project, "--output", "other", PYTHONHASHSEED="2")
    assert other.stdout.splitlines() == [f"wrote other/{name}" for name in FILES]
    for name in FILES:
        one, two = project / "src/operator_demo/client" / name, project / "other" / name
        assert one.read_text() == two.read_text()


def test_says_what_it_deletes_and_leaves_out(project: Path) -> None:
    run(project)
    client = project / "src/operator_demo/client"
    (client / "old.py").write_text(f'"""Old.\n\n{CLIENT_HEADER}\n"""\n')
    (project / "src/operator_demo/old.py").write_text(
        HEAD + kind("Order", version="v1alpha1", storage=False, served=False)
    )
    ended = run(project)
    assert ended.stdout == "deleted src/operator_demo/client/old.py, which nothing needs any more\n"
    assert ended.stderr == "Order of shop.example.com/v1alpha1 is not served, so it is left out\n"
    assert ended.returncode == 0


def test_another_package(project: Path) -> None:
    (project / "orders.py").write_text(KINDS)
    ended = run(project, "--package", "orders", "--output", "orders_client")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "from orders import Order, Warehouse" in (project / "orders_client/clientset.py").read_text()


def test_refusals_are_one_sentence(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert refused(tmp_path_factory.mktemp("empty")) == (
        "there is no pyproject.toml; go to the project's folder, or give --package"
    )
    assert "there is no package nosuch in src or ." in refused(project, "--package", "nosuch")
    (project / "file").touch()
    assert "Not a directory: file/" in refused(project, "--output", "file/client")
    run(project)
    mine = project / "src/operator_demo/client/listers.py"
    mine.write_text("mine = 1\n")
    before = {path: path.read_text() for path in mine.parent.glob("*.py")}
    assert refused(project) == (
        "src/operator_demo/client/listers.py was not generated and stays as it is; "
        "name another --output, or move it away"
    )
    assert {path: path.read_text() for path in mine.parent.glob("*.py")} == before
    (project / "src/operator_demo/broken.py").write_text("import nosuch\n")
    assert refused(project) == (
        "the module operator_demo.broken cannot be imported: "
        "ModuleNotFoundError: No module named 'nosuch' (operator_demo/broken.py, line 1)"
    )


def test_what_modules_print_is_not_among_the_files(project: Path) -> None:
    (project / "src" / "operator_demo" / "loud.py").write_text("print('imported')\n")
    ended = run(project)
    assert ended.stderr == "imported\n"
    assert all(line.startswith("wrote ") for line in ended.stdout.splitlines())
