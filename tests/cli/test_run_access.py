"""How the program of `kubewright run` reaches a cluster, with which rights, and how it is asked by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kubewright.config import load_config
from kubewright.models.core_v1 import ServiceAccount
from kubewright.models.rbac_v1 import ClusterRole, ClusterRoleBinding
from kubewright.sync import Client
from tests.cli.commands import refusal, run_command
from tests.cli.run_process import RunProcess
from tests.cli.run_projects import plain_project, scaffolded_project
from tests.server.processes import ServerProcess

pytestmark = pytest.mark.slow

SHOWN = """
import os, pathlib
from kubewright.config import load_config
config = load_config()
print("context", config.context, config.namespace)
for path in os.environ["KUBECONFIG"].split(":"):
    print("mode", oct(pathlib.Path(path).stat().st_mode & 0o777), path)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("server")) as running:
        yield running


def test_a_context(tmp_path: Path, server: ServerProcess) -> None:
    config = tmp_path / "config"
    text = Path(server.kubeconfig).read_text()
    name = load_config(kubeconfig=server.kubeconfig).context
    config.write_text(text.replace("current-context:", "was-context:"))
    folder = plain_project(tmp_path / "project", SHOWN)
    with RunProcess(folder, "--no-reload", "--kubeconfig=../config", f"--context={name}") as run:
        run.until(f"^context {name} default$", rf"^mode \S+ {folder}/../config$")
        assert run.ended() == 0
    told = refusal(run_command("run", "--kubeconfig=../config", "--context=other", folder=folder))
    assert told.startswith("there is no context 'other' in ../config; choose one of its contexts: ")


def test_the_rights_of_a_service_account(tmp_path: Path, server: ServerProcess) -> None:
    folder = scaffolded_project(tmp_path / "project")
    options = ("--install", "--samples", "--service-account=default/operator")
    missing = refusal(run_command("run", *options, folder=folder, KUBECONFIG=server.kubeconfig))
    assert missing == (
        "there is no service account operator in the namespace default; "
        "`kubewright deploy` makes that of the project"
    )
    with Client(load_config(kubeconfig=server.kubeconfig)) as client:
        client.api(ServiceAccount, "default").create({"metadata": {"name": "operator"}})
        with RunProcess(folder, *options, KUBECONFIG=server.kubeconfig) as run:
            run.until("^program: python -m operator_demo as system:serviceaccount:default:operator, started")
            told = 'User "system:serviceaccount:default:operator" cannot list resource "custompods"'
            run.until("custompods.zhhnzw.mock.com created", "custompod-sample created", told)
            rules = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]
            client.api(ClusterRole).create({"metadata": {"name": "all"}, "rules": rules})
            client.api(ClusterRoleBinding).create(
                {
                    "metadata": {"name": "all"},
                    "roleRef": {
                        "apiGroup": "rbac.authorization.k8s.io",
                        "kind": "ClusterRole",
                        "name": "all",
                    },
                    "subjects": [{"kind": "ServiceAccount", "name": "operator", "namespace": "default"}],
                }
            )
            run.until("custompod-sample [0-9a-f]{16} reconciled in")


def test_credentials_are_for_the_owner_alone_and_gone_afterwards(
    tmp_path: Path, server: ServerProcess
) -> None:
    (tmp_path / "temporary").mkdir()
    folder = plain_project(tmp_path / "project", SHOWN)
    options = ("--no-reload", "--service-account=kube-system/operator")
    with Client(load_config(kubeconfig=server.kubeconfig)) as client:
        client.api(ServiceAccount, "kube-system").create({"metadata": {"name": "operator"}})
    environment = {"KUBECONFIG": server.kubeconfig, "TMPDIR": str(tmp_path / "temporary")}
    with RunProcess(folder, *options, **environment) as run:
        run.until("^context kube-system/operator kube-system$", rf"^mode 0o600 {tmp_path}/temporary/.*$")
        assert run.ended() == 0
    assert list((tmp_path / "temporary").iterdir()) == []


def test_samples_meet_the_webhooks(tmp_path: Path) -> None:
    folder = scaffolded_project(tmp_path, "defaulting", "validation")
    sample = next((folder / "config" / "samples").glob("zhhnzw*.yaml"))
    lines = [line for line in sample.read_text().splitlines() if "managed-by" not in line]
    sample.write_text("\n".join(lines))
    label = "app.kubernetes.io/managed-by"
    with RunProcess(folder, "--embedded", "--samples", "--controllers=none") as run:
        run.until("custompod-sample created")
        with Client(load_config(kubeconfig=run.kubeconfig)) as client:
            api = client.dynamic("zhhnzw.mock.com/v1", "CustomPod", "default")
            assert api.get("custompod-sample").metadata.labels[label] == "operator-demo"
            # A sample that changes is applied again.
            sample.write_text("\n".join(lines).replace("replicas: 1", "replicas: 2"))
            run.until("custompod-sample configured")
            assert api.get("custompod-sample")["spec"]["replicas"] == 2
        assert run.stop() == 0
    with RunProcess(folder, "--embedded", "--webhooks=off", "--controllers=none") as run:
        run.until("^kubewright: the project's webhooks are not served; --webhooks local serves them to an")
        run.until("custompod-sample [0-9a-f]{16} reconciled in")
        with Client(load_config(kubeconfig=run.kubeconfig)) as client:
            assert not list(
                client.dynamic("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration").list()
            )
