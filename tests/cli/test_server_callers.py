"""`kubewright server` and its callers: the options that say who they are."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.test_server import refused
from tests.server.processes import ServerProcess
from tests.server.raw_http import Connection

SECRET = "t0ken-0f-jane"  # noqa: S105 - of nobody


def test_static_tokens_and_no_anonymous(tmp_path: Path) -> None:
    file = tmp_path / "tokens.csv"
    file.write_text(f"{SECRET},jane,u-1,system:masters\n")
    arguments = [
        "--token-auth-file",
        str(file),
        "--anonymous-auth=false",
        "--service-account-issuer=https://me",
    ]
    with ServerProcess(tmp_path / "data", *arguments) as server, Connection(server) as connection:
        headers = {"Authorization": f"Bearer {SECRET}"}
        answer = connection.request("GET", "/.well-known/openid-configuration", headers=headers)
        assert answer is not None
        assert json.loads(answer.body)["issuer"] == "https://me"
        answer = connection.request("GET", "/readyz", headers={"Authorization": ""})
        assert answer is not None
        assert answer.status == 401


def test_files_that_are_no_good(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(f"{SECRET},jane\n")
    told = refused("--token-auth-file", file)
    assert told == f"line 1 of the token file {file} has 2 columns; it needs token, user and uid"
    assert SECRET not in told
    assert refused("--client-ca-file", file).startswith("the client CA has no certificate in PEM")
