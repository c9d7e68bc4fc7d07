"""`kubewright generate types` and `kubewright convert crd`, in a process."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from kubewright.machinery import yaml
from tests.cli.commands import refusal
from tests.cli.commands import run_command as run
from tests.codegen.crd_definitions import server_errors
from tests.codegen.crd_fixtures import FAMILIES
from tests.codegen.openapi_fixtures import METRICS_DOCUMENT
from tests.codegen.test_crd_convert import OLD
from tests.server.processes import COMMAND, PATIENCE, ServerProcess


def refused(*arguments: str | Path) -> str:
    """The one sentence that the command refuses with."""
    return refusal(run(*arguments))


@pytest.fixture
def gateway(tmp_path: Path) -> Path:
    path = tmp_path / "gateway.yaml"
    path.write_text(yaml.dump_all(FAMILIES["gateway_api"]))
    return path


class TestGenerateTypes:
    def test_help(self) -> None:
        ended = run("generate", "types", "--help")
        assert ended.returncode == 0
        for text in ("--from", "--output", "cluster", "Example"):
            assert text in ended.stdout

    def test_writes_once_and_the_same_on_every_run(self, tmp_path: Path, gateway: Path) -> None:
        one, two = tmp_path / "one", tmp_path / "two"
        ended = run("generate", "types", "--from", gateway, "--output", one, PYTHONHASHSEED="1")
        assert (ended.returncode, ended.stderr) == (0, "")
        names = ["__init__.py", "gateway_v1.py", "gateway_v1beta1.py", "py.typed"]
        assert ended.stdout.splitlines() == [f"wrote {one / name}" for name in names]
        assert (
            run("generate", "types", "--from", gateway, "--output", two, PYTHONHASHSEED="2").returncode == 0
        )
        for name in names:
            assert (one / name).read_text() == (two / name).read_text()
        again = run("generate", "types", "--from", gateway, "--output", one)
        assert again.stdout == f"{one} is up to date\n"

    def test_from_standard_input(self, tmp_path: Path, gateway: Path) -> None:
        ended = run(
            "generate", "types", "--from", "-", "--output", tmp_path / "out", given=gateway.read_text()
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        assert (tmp_path / "out" / "gateway_v1.py").exists()

    def test_refusals_are_one_sentence(self, tmp_path: Path, gateway: Path) -> None:
        output = tmp_path / "out"
        output.mkdir()
        (output / "gateway_v1.py").write_text("mine = 1\n")
        assert "was not generated" in refused("generate", "types", "--from", gateway, "--output", output)

    @pytest.mark.slow
    def test_from_a_cluster(self, tmp_path: Path, gateway: Path) -> None:
        with ServerProcess(tmp_path / "server") as server:
            kubeconfig = {"KUBECONFIG": str(server.kubeconfig)}
            ended = run("generate", "types", "--from", "cluster", "--output", tmp_path / "none", **kubeconfig)
            assert ended.stderr.startswith("Error: the cluster has no CustomResourceDefinitions")
            program = (
                "import sys\n"
                "from kubewright.machinery import yaml\n"
                "from kubewright.models.apiextensions_v1 import CustomResourceDefinition\n"
                "from kubewright.sync import Client\n"
                "with Client() as client:\n"
                "    for each in yaml.load_all(open(sys.argv[1]).read()):\n"
                "        crd = CustomResourceDefinition.from_dict(each)\n"
                "        client.api(CustomResourceDefinition).create(crd)\n"
            )
            python = Path(COMMAND).with_name("python")
            subprocess.run(
                [python, "-c", program, gateway],
                check=True,
                env={**os.environ, **kubeconfig},
                timeout=PATIENCE,
            )
            ended = run("generate", "types", "--from", "cluster", "--output", tmp_path / "live", **kubeconfig)
            assert (ended.returncode, ended.stderr) == (0, "")
        assert run("generate", "types", "--from", gateway, "--output", tmp_path / "file").returncode == 0
        for name in ("gateway_v1.py", "gateway_v1beta1.py"):
            assert (tmp_path / "live" / name).read_text() == (tmp_path / "file" / name).read_text()


class TestGenerateTypesFromOpenapi:
    def test_from_a_file_and_from_standard_input(self, tmp_path: Path) -> None:
        path = tmp_path / "metrics.json"
        path.write_text(json.dumps(METRICS_DOCUMENT))
        for source, given in ((path, None), ("-", path.read_text())):
            output = tmp_path / f"out{given is None}"
            ended = run("generate", "types", "--from", source, "--output", output, given=given)
            assert (ended.returncode, ended.stderr) == (0, "")
            assert (output / "metrics_v1beta1.py").exists()

    def test_refusals_are_one_sentence(self, tmp_path: Path, gateway: Path) -> None:
        assert "leave out --all" in refused("generate", "types", "--from", gateway, "--all")
        old = tmp_path / "swagger.json"
        old.write_text('{"swagger": "2.0"}')
        assert "fetch v3 with kubectl get --raw" in refused("generate", "types", "--from", old)
        ended = run("generate", "types", "--from", gateway, "--openapi")
        assert ended.returncode == 2
        assert "--openapi is for --from cluster" in ended.stderr

    @pytest.mark.slow
    def test_from_a_cluster(self, tmp_path: Path, gateway: Path) -> None:
        with ServerProcess(tmp_path / "server") as server:
            kubeconfig = {"KUBECONFIG": str(server.kubeconfig)}
            command = ("generate", "types", "--from", "cluster", "--output", tmp_path / "out")
            ended = run(*command, "--openapi", **kubeconfig)
            assert ended.stderr == (
                "Error: kubewright.models has all kinds that there are; add --all for types of them too\n"
            )
            ended = run(*command, "--all", "--group", "core", "--group", "apps", **kubeconfig)
            assert (ended.returncode, ended.stderr) == (0, "")
            names = ["__init__.py", "apps_v1.py", "core_v1.py", "py.typed"]
            assert ended.stdout.splitlines() == [f"wrote {tmp_path / 'out' / name}" for name in names]
            ended = run(*command, "--openapi", "--group", "nobody.example.com", **kubeconfig)
            assert ended.stderr.startswith("Error: the cluster does not serve the group nobody.example.com")


class TestConvert:
    def test_a_file_with_several_documents(self, tmp_path: Path) -> None:
        path = tmp_path / "old.yaml"
        path.write_text(
            f"{OLD.replace('preserveUnknownFields: false', '')}---\nkind: Pod\nmetadata: {{name: a}}\n"
        )
        ended = run("convert", "crd", path)
        assert ended.returncode == 0
        definition, pod = yaml.load_all(ended.stdout)
        assert server_errors(definition) == []
        assert pod == {"kind": "Pod", "metadata": {"name": "a"}}
        (sentence,) = ended.stderr.splitlines()
        assert sentence.startswith("projects.example.com: ")
        assert "x-kubernetes-preserve-unknown-fields" not in run("convert", "crd", "--prune", path).stdout

    def test_from_standard_input(self) -> None:
        ended = run("convert", "crd", "-", given=OLD)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert server_errors(yaml.load(ended.stdout)) == []

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
    def test_an_output_that_takes_nothing(self) -> None:
        ended = run("convert", "crd", "-", given=OLD, output="/dev/full")
        assert refusal(ended) == "No space left on device: standard output; name another path"

    def test_refusals_are_one_sentence(self, tmp_path: Path) -> None:
        path = tmp_path / "file.yaml"
        path.write_text("kind: Pod")
        assert "there is no CustomResourceDefinition of apiextensions.k8s.io/v1beta1" in refused(
            "convert", "crd", path
        )
        path.write_text("a: [")
        assert "YAML does not decode" in refused("convert", "crd", path)
