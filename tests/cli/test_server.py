"""`kubewright server` as a newcomer meets it: in a process, with what it prints and how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from kubewright.machinery import yaml
from tests.server.processes import COMMAND, PATIENCE, ServerProcess
from tests.server.raw_http import Connection, ask

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command, which must end by itself."""
    return subprocess.run(
        [COMMAND, "server", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def refused(*arguments: str | Path, code: int = 1) -> str:
    """The one sentence that the command refuses with."""
    ended = run(*arguments)
    assert ended.returncode == code, ended
    assert ended.stdout == ""
    lines = ended.stderr.splitlines()
    assert len(lines) == 1, ended.stderr
    assert lines[0].startswith("Error: ")
    assert "None" not in lines[0]
    return lines[0].removeprefix("Error: ")


def mode(path: str | Path) -> int:
    """The permissions of a file."""
    return stat.S_IMODE(Path(path).stat().st_mode)


def kubectl_can_use(kubeconfig: Path, url: str) -> None:
    """Fail unless its current context leads to the server, with a user."""
    config = yaml.load(kubeconfig.read_text())
    assert (config["apiVersion"], config["kind"]) == ("v1", "Config")
    context = next(each for each in config["contexts"] if each["name"] == config["current-context"])
    cluster = next(each for each in config["clusters"] if each["name"] == context["context"]["cluster"])
    assert cluster["cluster"]["server"] == url
    assert any(each["name"] == context["context"]["user"] for each in config["users"])


class TestHelp:
    def test_says_what_it_is_and_how_to_call_it(self) -> None:
        ended = run("--help")
        assert ended.returncode == 0
        assert ended.stderr == ""
        for text in ("--port", "--data-dir", "--kubeconfig", "Example", "kubectl"):
            assert text in ended.stdout

    @pytest.mark.parametrize(
        "arguments", [["--port", "65536"], ["--port", "-1"], ["--port", "http"], ["--nope"], ["extra"]]
    )
    def test_wrong_arguments(self, arguments: list[str]) -> None:
        ended = run(*arguments)
        assert ended.returncode == 2
        assert "Error: " in ended.stderr
        assert "Traceback" not in ended.stderr


class TestFiles:
    def test_everything_secret_is_for_the_owner_only(self, tmp_path: Path) -> None:
        data_dir = tmp_path / "made" / "by-it"
        with ServerProcess(tmp_path / "process", data_dir=data_dir):
            assert mode(data_dir) == 0o700
            files = [path for path in data_dir.rglob("*") if path.is_file()]
            assert {"kubeconfig", "token", "admin.key", "apiserver.key", "ca.crt", "storage.db"} <= {
                path.name for path in files
            }
            for path in files:
                assert mode(path) == 0o600, path
            assert mode(data_dir / "pki") == 0o700

    def test_without_a_data_dir_too_and_they_are_gone_afterwards(self, tmp_path: Path) -> None:
        with ServerProcess(tmp_path / "process") as server:
            kubeconfig = Path(server.kubeconfig)
            kubectl_can_use(kubeconfig, server.url)
            assert mode(kubeconfig) == 0o600
            assert mode(kubeconfig.parent) == 0o700
            assert server.stop() == 0
        assert not kubeconfig.parent.exists()

    def test_the_kubeconfig_may_be_anywhere_and_replaces_what_is_there(self, tmp_path: Path) -> None:
        wanted = tmp_path / "new" / "folder" / "config"
        wanted.parent.mkdir(parents=True)
        wanted.write_text("old")
        wanted.chmod(0o644)
        command = [COMMAND, "server", f"--kubeconfig={wanted}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == f"kubeconfig: {wanted}\n"
            url = process.stdout.readline().removeprefix("ready: ").strip()
            assert mode(wanted) == 0o600
            assert yaml.load(wanted.read_text())["clusters"][0]["cluster"]["server"] == url
            process.terminate()
            _, complaints = process.communicate(timeout=PATIENCE)
        assert complaints == ""
        assert process.returncode == 0


class TestStopping:
    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_a_signal_ends_it_cleanly(self, tmp_path: Path, number: signal.Signals) -> None:
        with ServerProcess(tmp_path / "process") as server, Connection(server) as watcher:
            port = int(server.url.rpartition(":")[2])
            watcher.send(watcher.head("GET", f"{CONFIG_MAPS}?watch=1"))
            assert watcher.socket.recv(1) == b"H"
            started = time.monotonic()
            assert server.stop(number) == 0
            assert time.monotonic() - started < 20
            assert server.stderr == ""
            rest = b""
            while part := watcher.socket.recv(65_536):
                rest += part
            # The stream has its proper end, so that the client knows that nothing is missing.
            assert rest.endswith(b"0\r\n\r\n")
        with socket.socket() as free:
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            free.bind(("127.0.0.1", port))

    def test_the_same_port_can_be_used_at_once(self, tmp_path: Path) -> None:
        with ServerProcess(tmp_path / "process") as server:
            port = int(server.url.rpartition(":")[2])
            with Connection(server) as connection:
                assert connection.request("GET", "/readyz") is not None
                assert server.stop() == 0
        with ServerProcess(tmp_path / "again", port=port) as server:
            assert server.url.endswith(f":{port}")

    def test_idle_slow_and_silent_clients_do_not_hold_it_up(self, tmp_path: Path) -> None:
        with ServerProcess(tmp_path / "process") as server:
            held = [Connection(server) for _ in range(10)] + [Connection(server, tls=False) for _ in range(5)]
            held[0].request("GET", "/version")
            for connection in held[1:5]:
                connection.send(connection.head("POST", CONFIG_MAPS, {"Content-Length": "100"})[:-2])
            for connection in held[5:10]:
                connection.send(connection.head("POST", CONFIG_MAPS, {"Content-Length": "100"}) + b"{")
            try:
                started = time.monotonic()
                assert server.stop() == 0
                assert time.monotonic() - started < 20
                assert server.stderr == ""
            finally:
                for connection in held:
                    connection.socket.close()

    def test_when_nobody_reads_what_it_prints(self) -> None:
        """As in `kubewright server | head -1`."""
        with subprocess.Popen([COMMAND, "server"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            while not process.stdout.readline().startswith(b"ready"):
                assert process.poll() is None
            process.stdout.close()
            process.terminate()
            complaints = process.stderr.read()
            process.wait(PATIENCE)
        assert b"Traceback" not in complaints
        assert b"Exception" not in complaints

    def test_a_signal_amid_the_start(self) -> None:
        """Whenever it comes, the process ends soon and without a traceback."""
        for wait in (0.4, 0.8, 1.2):
            command = [COMMAND, "server"]
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
                with pytest.raises(subprocess.TimeoutExpired):
                    process.wait(wait)
                process.terminate()
                try:
                    _, complaints = process.communicate(timeout=PATIENCE)
                finally:
                    # One that hangs fails the test, and does not hang it.
                    process.kill()
            assert b"Traceback" not in complaints


@pytest.mark.slow
class TestRefusals:
    def test_a_busy_port(self, tmp_path: Path) -> None:
        with socket.socket() as busy:
            busy.bind(("127.0.0.1", 0))
            busy.listen()
            port = busy.getsockname()[1]
            data_dir = tmp_path / "data"
            assert str(port) in refused("--port", str(port), "--data-dir", data_dir)
        # The refusal has left the folder usable.
        with ServerProcess(tmp_path / "process", data_dir=data_dir):
            pass

    def test_a_data_dir_in_use(self, tmp_path: Path) -> None:
        data_dir = tmp_path / "data"
        with ServerProcess(tmp_path / "process", data_dir=data_dir) as server:
            sentence = refused("--data-dir", data_dir)
            assert str(data_dir) in sentence
            assert "in use" in sentence
            answer = ask(server, "GET", "/readyz")
            assert answer is not None
            assert answer.status == 200

    def test_a_data_dir_that_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        assert "file" in refused("--data-dir", tmp_path / "file" / "below")
        # What click finds out by itself, it says in its own way.
        ended = run("--data-dir", tmp_path / "file")
        assert ended.returncode == 2
        assert "is a file" in ended.stderr

    def test_a_data_dir_that_cannot_be_made(self) -> None:
        assert "/proc/nope" in refused("--data-dir", "/proc/nope")

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_a_data_dir_without_permission(self, tmp_path: Path) -> None:
        locked = tmp_path / "locked"
        locked.mkdir(mode=0o500)
        assert str(locked) in refused("--data-dir", locked)
        assert str(locked) in refused("--data-dir", locked / "below")

    def test_a_kubeconfig_that_cannot_be_written(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        assert str(tmp_path / "file") in refused("--kubeconfig", tmp_path / "file" / "kubeconfig")
        # To create a file there is refused with the error for a path that does not exist.
        assert "/proc" in refused("--kubeconfig", "/proc/kubeconfig", code=2)

    def test_a_data_dir_of_another_program(self, tmp_path: Path) -> None:
        (tmp_path / "storage.db").write_bytes(b"something else entirely" * 1000)
        assert "storage.db" in refused("--data-dir", tmp_path)

    def test_damaged_credentials(self, tmp_path: Path) -> None:
        pki = tmp_path / "pki"
        pki.mkdir()
        for name in ("ca.crt", "apiserver.crt", "apiserver.key", "admin.crt", "admin.key", "token"):
            (pki / name).write_bytes(b"garbage")
        assert str(pki) in refused("--data-dir", tmp_path)


def asked(server: ServerProcess, method: str, path: str, body: object = None) -> dict[str, Any]:
    """The object that a request is answered with."""
    answer = ask(server, method, path, b"" if body is None else json.dumps(body).encode())
    assert answer is not None
    assert answer.status < 300, answer
    obj: dict[str, Any] = answer.json()
    return obj


class TestBackups:
    def test_of_a_running_server_and_back(self, tmp_path: Path) -> None:
        data_dir, file = tmp_path / "data", tmp_path / "backup"
        with ServerProcess(tmp_path / "process", data_dir=data_dir) as server:
            made = {"metadata": {"name": "kept"}, "data": {"a": "b"}}
            assert asked(server, "POST", CONFIG_MAPS, made)["metadata"]["name"] == "kept"
            ended = run("--data-dir", data_dir, "--backup", file)
            assert (ended.returncode, ended.stderr) == (0, "")
            assert ended.stdout.startswith("backed up ")
            asked(server, "DELETE", f"{CONFIG_MAPS}/kept")
        assert mode(file) == 0o600
        ended = run("--data-dir", tmp_path / "new", "--restore", file, "--output", "json")
        assert (ended.returncode, ended.stderr) == (0, "")
        restored = json.loads(ended.stdout)
        assert restored["dataDir"] == str(tmp_path / "new")
        with ServerProcess(tmp_path / "process", data_dir=tmp_path / "new") as server:
            kept = asked(server, "GET", f"{CONFIG_MAPS}/kept")
            assert kept["data"] == made["data"]
            assert int(kept["metadata"]["resourceVersion"]) < restored["revision"]
        assert "holds a store already" in refused("--data-dir", tmp_path / "new", "--restore", file)
        assert "exists, and a backup replaces nothing" in refused("--data-dir", data_dir, "--backup", file)

    @pytest.mark.parametrize(
        "option", ["--backup=x", "--restore=x", "--accept-data-loss", "--insecure-data-dir"]
    )
    def test_they_need_a_data_dir(self, tmp_path: Path, option: str) -> None:
        (tmp_path / "x").touch()
        ended = run(option.replace("=", f"={tmp_path}/"))
        assert ended.returncode == 2
        name = option.partition("=")[0]
        assert f"Error: {name} is for a data dir; name it with --data-dir" in ended.stderr

    def test_one_at_a_time(self, tmp_path: Path) -> None:
        (tmp_path / "b").touch()
        ended = run("--data-dir", tmp_path, "--backup", tmp_path / "a", "--restore", tmp_path / "b")
        assert ended.returncode == 2
        assert "contradict each other" in ended.stderr


class TestDamage:
    def test_a_killed_server_with_one_byte_of_its_log_overwritten(self, tmp_path: Path) -> None:
        data_dir = tmp_path / "data"
        with ServerProcess(tmp_path / "process", data_dir=data_dir) as server:
            for number in range(100):
                body = {"metadata": {"name": f"m-{number}"}, "data": {"a": "x" * 2000}}
                asked(server, "POST", CONFIG_MAPS, body)
            last = int(asked(server, "GET", CONFIG_MAPS)["metadata"]["resourceVersion"])
            server.kill()
        log = data_dir / "storage.db-wal"
        content = bytearray(log.read_bytes())
        content[len(content) // 2] ^= 1
        log.write_bytes(content)
        for _ in range(2):
            message = refused("--data-dir", data_dir)
            assert message.startswith(f"{data_dir}/storage.db ends at revision ")
            assert message.endswith(f"kubewright server --data-dir {data_dir} --accept-data-loss")
        command = [COMMAND, "server", "--data-dir", data_dir, "--accept-data-loss"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline().startswith("kubeconfig: ")
            process.terminate()
            _, complaints = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        assert "going on with the " in complaints
        with ServerProcess(tmp_path / "process", data_dir=data_dir) as server:
            found = asked(server, "GET", CONFIG_MAPS)
            assert 0 < len(found["items"]) < 100
            assert int(found["metadata"]["resourceVersion"]) > last
