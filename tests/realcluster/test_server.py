"""The real server comes up, tells how it is reached, and leaves nothing behind."""

from __future__ import annotations

import http.client
import json
import os
import ssl
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.realcluster.binaries import VERSION
from tests.realcluster.server import RealServer, ServerFailed

pytestmark = pytest.mark.real


def _get(
    server: RealServer, path: str, context: ssl.SSLContext, headers: dict[str, str]
) -> tuple[int, bytes]:
    parts = urlsplit(server.url)
    assert parts.hostname is not None
    connection = http.client.HTTPSConnection(parts.hostname, parts.port, timeout=60, context=context)
    try:
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_from_start_to_end() -> None:
    with RealServer(fsync=False) as server:
        context = ssl.create_default_context(cafile=server.ca_file)
        bearer = {"Authorization": f"Bearer {server.token}"}
        status, body = _get(server, "/version", context, bearer)
        assert (status, json.loads(body)["gitVersion"]) == (200, VERSION)
        # The certificate is the administrator's as well.
        context.load_cert_chain(server.client_cert_file, server.client_key_file)
        assert _get(server, "/api/v1/secrets", context, {})[0] == 200
        pids = dict(server.pids)
        assert set(pids) == {"etcd", "kube-apiserver"}
        commands = {name: Path(f"/proc/{pid}/cmdline").read_text() for name, pid in pids.items()}
        assert all(name in command for name, command in commands.items())
        cluster = json.loads(Path(server.kubeconfig).read_text())["clusters"][0]["cluster"]
        assert cluster["server"] == server.url
        data = Path(server.data_dir)
        assert data.is_dir()
    assert not data.parent.exists()
    for pid in pids.values():
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_flag_that_there_is_not() -> None:
    with pytest.raises(ServerFailed, match="kube-apiserver ended with code 1; the end of the logs"):
        RealServer(fsync=False, flags=["--unheard-of"]).__enter__()
