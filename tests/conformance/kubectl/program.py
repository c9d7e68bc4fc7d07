"""Runs kubectl: to its end, or beside the test."""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from tests.conformance.namespaces import Namespace

__all__ = ["Kubectl", "Outcome", "Running"]

PATIENCE = 120.0
"""Seconds that a command, or the next line of one that goes on, may take on a busy machine: kubectl takes a
tenth of one, but those that delete a definition wait until the server has, and that is at times 5 seconds."""


@dataclass(frozen=True)
class Outcome:
    """What a command that has ended said."""

    code: int
    stdout: str
    stderr: str

    @property
    def lines(self) -> list[str]:
        """The lines of stdout."""
        return self.stdout.splitlines()

    def json(self) -> Any:
        """Stdout, which must be JSON."""
        return msgspec.json.decode(self.stdout)


@dataclass(frozen=True)
class Kubectl:
    """kubectl with the credentials of a server and, where one is set, a namespace.

    A call must succeed and gives what was printed; `fails` is for those that must not, `outcome` for either.
    A dict or a list as `stdin` is sent as JSON. `make`, `stored` and `names` go past kubectl, which takes a
    tenth of a second for everything: they are for what a test needs and does not test.
    """

    binary: Path
    kubeconfig: str
    home: Path
    place: Namespace | None = None
    variables: tuple[tuple[str, str], ...] = ()

    @property
    def namespace(self) -> str:
        """The name of the namespace; empty for none."""
        return self.place.name if self.place else ""

    def in_namespace(self, place: Namespace) -> Kubectl:
        """The same in a namespace."""
        return replace(self, place=place)

    def with_variables(self, **variables: str) -> Kubectl:
        """The same with more environment variables."""
        return replace(self, variables=(*self.variables, *variables.items()))

    def __call__(self, *arguments: str, stdin: object = None) -> str:
        """Stdout of a command that must succeed."""
        return self.success(*arguments, stdin=stdin).stdout

    def json(self, *arguments: str, stdin: object = None) -> Any:
        """What a command prints with `-o json`."""
        return self.success(*arguments, "-o", "json", stdin=stdin).json()

    def success(self, *arguments: str, stdin: object = None) -> Outcome:
        """A command that must exit with 0."""
        done = self.outcome(*arguments, stdin=stdin)
        assert done.code == 0, f"kubectl {' '.join(arguments)} exited with {done.code}: {done.stderr}"
        return done

    def fails(self, *arguments: str, stdin: object = None, code: int = 1) -> str:
        """Stderr of a command that must exit with `code`."""
        done = self.outcome(*arguments, stdin=stdin)
        assert done.code == code, (
            f"kubectl {' '.join(arguments)} exited with {done.code}: {done.stdout}{done.stderr}"
        )
        return done.stderr

    def outcome(self, *arguments: str, stdin: object = None) -> Outcome:
        """A command that may fail."""
        done = subprocess.run(
            self._command(arguments),
            input=_text(stdin),
            capture_output=True,
            text=True,
            env=self._environment(),
            timeout=PATIENCE,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def make(self, *objects: dict[str, Any]) -> None:
        """Creates objects in the namespace; their resources are called as their kinds are, with an s."""
        assert self.place is not None
        for each in objects:
            self.place.create(self.place.path(f"{each['kind'].lower()}s", each["apiVersion"]), each)

    def stored(self, resource: str, name: str, group_version: str = "v1") -> Any:
        """An object of the namespace as the server has it."""
        return self._got(resource, group_version, f"/{name}")

    def names(self, resource: str, group_version: str = "v1") -> list[str]:
        """The names of the objects in the namespace."""
        return [each["metadata"]["name"] for each in self._got(resource, group_version)["items"]]

    def _got(self, resource: str, group_version: str, rest: str = "") -> Any:
        assert self.place is not None
        response = self.place.client.get(f"{self.place.path(resource, group_version)}{rest}")
        assert response.status == 200, response.text
        return response.json()

    def start(self, *arguments: str) -> Running:
        """A command that goes on; use it in a `with` block."""
        return Running(self._command(arguments), self._environment())

    def _command(self, arguments: Sequence[str]) -> list[str]:
        place = [f"--namespace={self.namespace}"] if self.namespace else []
        return [str(self.binary), *place, *arguments]

    def _environment(self) -> Mapping[str, str]:
        # Nothing of the user's: no aliases, no plugins' settings, no proxy between this and the server.
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "KUBECONFIG": self.kubeconfig,
            "TZ": "UTC",
            # A fifth of its time would go into garbage, which is gone a moment later anyway.
            "GOGC": "off",
            **dict(self.variables),
        }


def _text(stdin: object) -> str:
    if stdin is None or isinstance(stdin, str):
        return stdin or ""
    return msgspec.json.encode(stdin).decode()


class Running:
    """A command that goes on until the block is left."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment,
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def line(self) -> str:
        """The next line; fails the test when it does not come."""
        try:
            line = self._lines.get(timeout=PATIENCE)
        except queue.Empty:
            line = None
        assert line is not None, f"kubectl said nothing more; it {self._state()}"
        return line

    def ends(self) -> int:
        """The exit code of a command that ends by itself."""
        return self._process.wait(timeout=PATIENCE)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def _state(self) -> str:
        code = self._process.poll()
        return "still runs" if code is None else f"exited with {code}"
