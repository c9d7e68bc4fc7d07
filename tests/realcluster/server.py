"""A real kube-apiserver on a real etcd, on free ports of this machine, for as long as a `with` lasts."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from tests.realcluster.binaries import Binaries, find_binaries
from tests.realcluster.credentials import Credentials, write_credentials, write_kubeconfig
from tests.realcluster.processes import ProcessGroups

if TYPE_CHECKING:
    from kubewright.config import Config

__all__ = ["DISABLED_ADMISSION_PLUGINS", "RealServer", "ServerFailed", "free_ports"]

DISABLED_ADMISSION_PLUGINS = (
    # Refuses pods until controllers have made their namespace's service account, which nobody does here.
    "ServiceAccount",
    # These fill in what the cluster's other parts want to find, or look for objects that an administrator
    # would have made. kubewright's server leaves them out as well: what a client sends is what it gets back.
    "DefaultTolerationSeconds",
    "Priority",
    "StorageObjectInUseProtection",
    "TaintNodesByCondition",
    "DefaultIngressClass",
    "DefaultStorageClass",
    "LimitRanger",
    "ResourceQuota",
    "PodSecurity",
    "RuntimeClass",
    "PersistentVolumeClaimResize",
)
"""Admission plugins that are on by default and off here, each for the reason above it."""

_TOKEN = "admin-token"  # noqa: S105 (a name of a server that lives for minutes on loopback)
_PATIENCE = 240.0
"""Seconds until a program must say that it is ready: kube-apiserver needs about six on two idle cores."""
_ATTEMPTS = 3
"""How often a start is tried when somebody else took the port between choosing and binding it."""


_FATAL = re.compile(r"F\d{4} |Error: |panic: ")
"""How lines begin in which a program of Kubernetes says why it ends."""


_MADE_AT_START = (
    *(f"/api/v1/namespaces/{name}" for name in ("default", "kube-system", "kube-public", "kube-node-lease")),
    "/api/v1/namespaces/default/services/kubernetes",
)
"""What kube-apiserver makes in its own time, also after it has said that it is ready."""


class ServerFailed(Exception):
    """A program of the cluster did not come up; the message ends with what it logged."""


class _PortTaken(ServerFailed):
    """The failure that another attempt can cure."""


class RealServer:
    """Starts etcd and kube-apiserver on entering and stops both on leaving.

    Guarantees that /readyz said ok when the block begins and the namespaces are there, that no process and
    no file is left when it ends, also when this process is killed. Raises MissingBinary when there is nothing
    to start, ServerFailed when it does not come up.
    """

    def __init__(
        self,
        *,
        fsync: bool = True,
        flags: Sequence[str] = (),
        disabled_admission_plugins: Sequence[str] = DISABLED_ADMISSION_PLUGINS,
    ) -> None:
        """`fsync=False` lets etcd lose data in a crash for speed; `flags` are added to kube-apiserver's."""
        self._fsync = fsync
        self._flags = tuple(flags)
        self._disabled_admission_plugins = tuple(disabled_admission_plugins)
        self.pids: dict[str, int] = {}
        """Process ids by program: "etcd", "kube-apiserver"."""
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        binaries = find_binaries()
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                self._start(binaries)
            except _PortTaken:
                if attempt == _ATTEMPTS:
                    raise
            else:
                break
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    @property
    def config(self) -> Config:
        """How kubewright's client reaches it, as the administrator."""
        from kubewright.config import config_from_kubeconfig

        return config_from_kubeconfig(Path(self.kubeconfig).read_text())

    def log(self, program: str) -> str:
        """What a program has logged so far."""
        return (self._directory / f"{program}.log").read_text(errors="replace")

    def compact(self, revision: int) -> None:
        """Makes etcd forget what was before a revision; kube-apiserver's caches do not notice."""
        body = json.dumps({"revision": str(revision), "physical": True})
        connection = http.client.HTTPConnection("127.0.0.1", self._etcd_port, timeout=30)
        try:
            connection.request("POST", "/v3/kv/compaction", body=body)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        if answer.status != http.HTTPStatus.OK:
            raise ServerFailed(f"etcd refused to compact to revision {revision}: {text}")

    def _start(self, binaries: Binaries) -> None:
        self._directory = Path(tempfile.mkdtemp(prefix="kubewright-realcluster-"))
        self._processes = ProcessGroups(self._directory)
        try:
            credentials = write_credentials(self._directory, token=_TOKEN)
            port, self._etcd_port, peer_port = free_ports(3)
            self._publish(credentials, port)
            etcd_url = f"http://127.0.0.1:{self._etcd_port}"
            self._launch("etcd", self._etcd_command(binaries.etcd, etcd_url, f"http://127.0.0.1:{peer_port}"))
            command = _apiserver_command(binaries.kube_apiserver, credentials, etcd_url, port)
            if self._disabled_admission_plugins:
                command += [f"--disable-admission-plugins={','.join(self._disabled_admission_plugins)}"]
            self._launch("kube-apiserver", [*command, *self._flags])
            for path in ("/readyz", *_MADE_AT_START):
                self._await_ready("kube-apiserver", port, path)
            self._start_others(credentials)
        except BaseException:
            self._stop()
            raise

    def _start_others(self, credentials: Credentials) -> None:
        """Starts what runs beside kube-apiserver, which is ready: nothing here."""

    def _publish(self, credentials: Credentials, port: int) -> None:
        self.url = f"https://127.0.0.1:{port}"
        self.ca_file = str(credentials.ca_file)
        self.token = credentials.token
        self.client_cert_file = str(credentials.client_cert)
        self.client_key_file = str(credentials.client_key)
        self.kubeconfig = str(self._directory / "kubeconfig")
        self.data_dir = str(self._directory / "etcd-data")
        write_kubeconfig(
            Path(self.kubeconfig), url=self.url, ca_file=credentials.ca_file, token=credentials.token
        )

    def _etcd_command(self, etcd: Path, client_url: str, peer_url: str) -> list[str]:
        command = [
            str(etcd),
            "--name=etcd",
            f"--data-dir={self.data_dir}",
            f"--listen-client-urls={client_url}",
            f"--advertise-client-urls={client_url}",
            f"--listen-peer-urls={peer_url}",
            f"--initial-advertise-peer-urls={peer_url}",
            f"--initial-cluster=etcd={peer_url}",
            "--log-level=warn",
        ]
        return command if self._fsync else [*command, "--unsafe-no-fsync"]

    def _launch(self, program: str, command: Sequence[str]) -> None:
        process = self._processes.start(command, log=self._directory / f"{program}.log")
        self.pids[program] = process.pid
        self._running[program] = process

    def _await_ready(self, program: str, port: int, path: str) -> None:
        process = self._running[program]
        deadline = time.monotonic() + _PATIENCE
        context = ssl.create_default_context(cafile=self.ca_file)
        while not _ready(port, path, context, self.token):
            if process.poll() is not None:
                raise self._failure(f"{program} ended with code {process.returncode}")
            if time.monotonic() > deadline:
                raise self._failure(f"{program} was not ready after {_PATIENCE:.0f} seconds")
            time.sleep(0.1)

    def _failure(self, what: str) -> ServerFailed:
        logs = "".join(map(self.log, self._running))
        kind = _PortTaken if "address already in use" in logs else ServerFailed
        # What was fatal stands before what is told about the shutdown.
        fatal = "".join(f"{line}\n" for line in logs.splitlines() if _FATAL.match(line))
        programs = " and ".join(self._running)
        return kind(f"{what}; the end of the logs of {programs} is:\n{fatal}{logs[-2000:]}")

    def _stop(self) -> None:
        self._processes.stop()
        self.pids.clear()
        self._running.clear()
        shutil.rmtree(self._directory, ignore_errors=True)


def _apiserver_command(program: Path, credentials: Credentials, etcd_url: str, port: int) -> list[str]:
    return [
        str(program),
        f"--etcd-servers={etcd_url}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={credentials.ca_file.parent}",
        f"--tls-cert-file={credentials.server_cert}",
        f"--tls-private-key-file={credentials.server_key}",
        f"--client-ca-file={credentials.ca_file}",
        f"--token-auth-file={credentials.tokens}",
        "--authorization-mode=RBAC",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={credentials.service_account_key}",
        f"--service-account-signing-key-file={credentials.service_account_key}",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--allow-privileged=true",
    ]


def free_ports(count: int) -> list[int]:
    """Ports that nobody listened on a moment ago, all different."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]
    finally:
        for each in sockets:
            each.close()


def _ready(port: int, path: str, context: ssl.SSLContext, token: str) -> bool:
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=5, context=context)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
