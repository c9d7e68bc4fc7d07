"""`kubewright server` in a process of its own, as a user runs it."""

from __future__ import annotations

import base64
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from kubewright.machinery import yaml

__all__ = ["COMMAND", "PATIENCE", "ServerProcess", "held_port"]

COMMAND = str(Path(sys.executable).parent / "kubewright")
"""The installed command."""

PATIENCE = 60.0
"""Seconds that a start or a stop may take on a busy machine."""


@contextmanager
def held_port() -> Iterator[int]:
    """A port of loopback for servers that come one after the other, and for nobody else in between.

    What is bound but does not listen lets servers listen there, since they set SO_REUSEADDR as well. It keeps
    the system from giving the port to somebody who asks for any while no server is there.
    """
    with closing(socket.socket()) as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        yield int(holder.getsockname()[1])


class ServerProcess:
    """A server that is ready when the block is entered, and has ended when it is left.

    What it prints to stderr, and the certificates of its kubeconfig, are files in `folder`.
    """

    def __init__(self, folder: Path, *options: str, data_dir: Path | None = None, port: int = 0) -> None:
        self._folder = folder
        self._options = options
        self._data_dir = data_dir
        self._port = port
        self._process: subprocess.Popen[bytes] | None = None
        self.kubeconfig = ""
        self.url = ""
        self.ca_file = ""
        self.token = ""
        self.client_cert_file = ""
        self.client_key_file = ""

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        arguments = [f"--port={self._port}", "--controllers=none", *self._options]
        if self._data_dir is not None:
            arguments.append(f"--data-dir={self._data_dir}")
        with self._path("stderr").open("ab") as stderr:
            self._process = subprocess.Popen(
                [COMMAND, "server", *arguments],
                stdout=subprocess.PIPE,
                stderr=stderr,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                start_new_session=True,
            )
        try:
            self._wait_until_ready()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self.running:
                self.stop()
        finally:
            self.kill()
            if error is not None:
                error.add_note(f"what the server printed to stderr:\n{self.stderr or '(nothing)'}")

    @property
    def stderr(self) -> str:
        """What it has printed there so far."""
        return self._path("stderr").read_text(errors="replace")

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        """Kill it at once, as a power failure would."""
        if self._process is not None:
            self._process.kill()
            self._end()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to stop, and wait until it has; returns its exit code."""
        assert self._process is not None
        self._process.send_signal(number)
        code = self._process.wait(PATIENCE)
        self._end()
        return code

    def _end(self) -> None:
        if self._process is not None:
            self._process.wait(PATIENCE)
            if self._process.stdout is not None:
                self._process.stdout.close()

    def _wait_until_ready(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        watchdog = threading.Timer(PATIENCE, self._process.kill)
        watchdog.start()
        try:
            for line in self._process.stdout:
                name, _, value = line.decode().strip().partition(": ")
                if name == "kubeconfig":
                    self.kubeconfig = value
                elif name == "ready":
                    self.url = value
                    break
            else:
                raise AssertionError(f"the server did not start: {self.stderr}")
        finally:
            watchdog.cancel()
            watchdog.join()
        self._read_kubeconfig()

    def _read_kubeconfig(self) -> None:
        config = yaml.load(Path(self.kubeconfig).read_text())
        user = config["users"][0]["user"]
        self.ca_file = self._decoded("ca.crt", config["clusters"][0]["cluster"]["certificate-authority-data"])
        self.client_cert_file = self._decoded("client.crt", user["client-certificate-data"])
        self.client_key_file = self._decoded("client.key", user["client-key-data"])
        token = Path(self.kubeconfig).parent / "pki" / "token"
        self.token = token.read_text().strip()

    def _decoded(self, name: str, data: str) -> str:
        path = self._path(name)
        path.write_bytes(base64.b64decode(data))
        return str(path)

    def _path(self, name: str) -> Path:
        return self._folder / name
