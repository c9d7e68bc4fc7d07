"""Completion: what shells are told, and that a real one takes it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from threading import Thread

import pytest
from click.shell_completion import BashComplete, CompletionItem
from click.testing import CliRunner

from kubewright.cli import main
from tests.cli.walking import COMMANDS
from tests.server.processes import COMMAND, PATIENCE

ARN = "arn:aws:eks:eu-west-1:123456789012:cluster/one"

KUBECONFIG = json.dumps({"contexts": [{"name": name} for name in ("staging", "production", ARN)]})


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project folder, with a kubeconfig."""
    (tmp_path / ".kubewright").mkdir()
    kinds = [
        {"group": "zhhnzw", "version": "v1", "kind": "CustomPod"},
        {"group": "zhhnzw", "version": "v2", "kind": "CustomPod"},
        {"group": "shop", "version": "v1beta1", "kind": "Order"},
    ]
    (tmp_path / ".kubewright" / "project.json").write_text(json.dumps({"kinds": kinds}))
    (tmp_path / "config").write_text(KUBECONFIG)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    return tmp_path


def _environment() -> dict[str, str]:
    path = os.pathsep.join([str(Path(COMMAND).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "TERM": "dumb"}


def _drain(terminal: int) -> None:
    with contextlib.suppress(OSError):  # when the other end is closed
        while os.read(terminal, 65_536):
            pass


def completed(*words: str) -> list[CompletionItem]:
    """What there is for the last of the words."""
    return BashComplete(main, {}, "kubewright", "_").get_completions(list(words[:-1]), words[-1])


def values(*words: str) -> list[str]:
    return [item.value for item in completed(*words)]


class TestWords:
    def test_commands_with_their_help(self) -> None:
        assert values("") == [path[0] for path in COMMANDS if len(path) == 1]
        assert values("in") == ["init", "install"]
        assert values("create", "") == ["api", "webhook"]
        assert all(item.help for item in completed(""))

    def test_options(self) -> None:
        assert values("install", "--con") == ["--context"]
        assert values("--ver") == ["--version"]
        for path in COMMANDS:
            assert "--help" in values(*path, "--h")

    def test_choices(self) -> None:
        assert values("version", "--output", "") == ["text", "json"]
        assert values("version", "--output=j") == ["json"]
        assert values("completion", "") == ["bash", "zsh", "fish"]

    def test_files_and_folders_are_left_to_the_shell(self) -> None:
        for words, kind in (
            (["server", "--data-dir", ""], "dir"),
            (["install", "--kubeconfig", ""], "file"),
            (["convert", "crd", "old"], "file"),
            (["generate", "types", "--from", ""], "file"),
            (["manifests", "--check", "released/"], "file"),
        ):
            (item,) = completed(*words)
            assert (item.type, item.value) == (kind, words[-1])
        assert values("generate", "types", "--from", "clu") == ["cluster"]

    def test_after_a_wrong_command(self) -> None:
        assert values("nosuch", "--") == ["--version", "--help"]


class TestContexts:
    def test_of_the_environment(self) -> None:
        assert values("install", "--context", "") == ["staging", "production", ARN]
        assert values("install", "--context", "s") == ["staging"]

    def test_of_the_file_that_is_named(self, folder: Path) -> None:
        (folder / "other").write_text("contexts: [{name: elsewhere}]")
        assert values("install", "--kubeconfig", "other", "--context", "") == ["elsewhere"]

    def test_of_several_files(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (folder / "other").write_text("contexts: [{name: elsewhere}, {name: staging}]")
        monkeypatch.setenv("KUBECONFIG", os.pathsep.join(["none", "other", "", "config"]))
        assert values("install", "--context", "") == ["elsewhere", "staging", "production", ARN]

    def test_of_the_home_folder(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("KUBECONFIG", "")
        monkeypatch.setenv("HOME", str(folder))
        assert values("install", "--context", "") == []
        (folder / ".kube").mkdir()
        (folder / "config").rename(folder / ".kube" / "config")
        assert values("install", "--context", "s") == ["staging"]

    @pytest.mark.parametrize(
        "text", ["", "[", "a", "[]", "contexts: a", "contexts: [a, 1, {}, {name: 1}]", "\udc80\udcff"]
    )
    def test_of_a_file_that_is_no_good(self, folder: Path, text: str) -> None:
        (folder / "config").write_bytes(text.encode(errors="surrogateescape"))
        assert values("install", "--context", "") == []

    @pytest.mark.parametrize("name", ["$(id)", "`id`", "a;id", "a b", "a\nfile,b", "a|id", "a>b", "'", ""])
    def test_what_a_shell_would_run_is_not_offered(self, folder: Path, name: str) -> None:
        contexts = [{"name": name}, {"name": "admin@kind-1.2_x+y=z,w"}]
        (folder / "config").write_text(json.dumps({"contexts": contexts}))
        assert values("install", "--context", "") == ["admin@kind-1.2_x+y=z,w"]
        record = {"kinds": [{"group": "", "version": "v1", "kind": name}]}
        (folder / ".kubewright" / "project.json").write_text(json.dumps(record))
        assert values("create", "webhook", "--kind", "") == []

    def test_every_command_with_the_option_has_them(self) -> None:
        having = [path for path in COMMANDS if "--context" in values(*path, "--c")]
        assert ("install",) in having
        for path in having:
            assert values(*path, "--context", "s") == ["staging"], path


class TestKinds:
    def test_agree_with_each_other(self) -> None:
        webhook = ("create", "webhook")
        assert values(*webhook, "--kind", "") == ["CustomPod", "Order"]
        assert values(*webhook, "--group", "z") == ["zhhnzw"]
        assert values(*webhook, "--kind", "CustomPod", "--version", "") == ["v1", "v2"]
        assert values(*webhook, "--version", "v1beta1", "--kind", "") == ["Order"]
        assert values(*webhook, "--group", "none", "--kind", "") == []

    @pytest.mark.parametrize(
        "text", [None, "", "[]", "{}", '{"kinds": 1}', '{"kinds": [1, {}, {"kind": ""}]}', "{"]
    )
    def test_of_no_project(self, folder: Path, text: str | None) -> None:
        record = folder / ".kubewright" / "project.json"
        record.write_text(text) if text is not None else record.unlink()
        assert values("create", "webhook", "--kind", "") == []


class TestShells:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_the_script_asks_the_command(self, shell: str) -> None:
        script = CliRunner().invoke(main, ["completion", shell]).stdout
        assert f"_KUBEWRIGHT_COMPLETE={shell}_complete" in script

    def test_bash(self, folder: Path) -> None:
        """With a terminal, and the key TAB."""
        (folder / "old.yaml").touch()
        (folder / "clusters").mkdir()
        typed = {
            "inst": "install",
            "version --output=j": "version --output=json",
            "install --context sta": "install --context staging",
            "install --context arn:aws:e": f"install --context {ARN}",
            "install --context=arn:aws:e": f"install --context={ARN}",
            "create webhook --kind C": "create webhook --kind CustomPod",
            "convert crd ol": "convert crd old.yaml",
            "server --data-dir clu": "server --data-dir clusters/",
        }
        # The line is completed, and then made one that prints itself.
        keys = [f"kubewright {text}\t\x01echo =\n" for text in typed]
        printed = self._typed("bash", ["source <(kubewright completion bash)\n", *keys])
        assert [" ".join(line.split()) for line in printed] == [
            f"=kubewright {text}" for text in typed.values()
        ]

    @pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
    def test_zsh_takes_the_script(self) -> None:
        lines = "autoload -U compinit; compinit -u -D; source <(kubewright completion zsh); echo $_comps"
        assert self._run("zsh", "-f", "-c", f"{lines}[kubewright]") == ["_kubewright_completion"]

    @pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
    def test_fish(self) -> None:
        lines = "kubewright completion fish | source; complete -C 'kubewright inst'"
        assert self._run("fish", "--no-config", "-c", lines) == ["install"]

    def test_zsh_and_fish_by_their_protocols(self) -> None:
        for shell, number in (("zsh", "1"), ("fish", "inst")):
            environment = {
                "_KUBEWRIGHT_COMPLETE": f"{shell}_complete",
                "COMP_WORDS": "kubewright inst",
                "COMP_CWORD": number,
            }
            ended = CliRunner().invoke(main, env=environment)
            assert ended.exit_code == 0
            printed = ended.stdout.replace("\n", ",").replace("\t", ",")
            assert printed.startswith("plain,install,Put the project's CRDs into a cluster."), printed

    def test_what_goes_wrong_does_not_disturb_the_line(self) -> None:
        ended = CliRunner().invoke(
            main, env={"_KUBEWRIGHT_COMPLETE": "bash_complete", "COMP_WORDS": "kubewright"}
        )
        assert (ended.exit_code, ended.output) == (1, "")

    def _typed(self, shell: str, keys: list[str]) -> list[str]:
        """What a shell prints on its standard output, when keys are pressed at its terminal."""
        terminal, other = os.openpty()
        command = [shell, "--norc", "--noprofile", "-i"]
        with subprocess.Popen(
            command,
            stdin=other,
            stderr=other,
            stdout=subprocess.PIPE,
            text=True,
            env=_environment(),
            start_new_session=True,
        ) as process:
            os.close(other)
            try:
                os.write(terminal, "".join([*keys, "exit\n"]).encode())
                # What it shows is read, too: a terminal that nobody reads takes no more.
                reader = Thread(target=_drain, args=(terminal,))
                reader.start()
                printed, _ = process.communicate(timeout=PATIENCE)
                reader.join(PATIENCE)
            finally:
                process.kill()
                os.close(terminal)
        return printed.splitlines()

    def _run(self, *command: str) -> list[str]:
        ended = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
            env=_environment(),
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        return ended.stdout.splitlines()
