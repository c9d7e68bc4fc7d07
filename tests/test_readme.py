"""The programs in the README work as written."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from kubewright.models.core_v1 import ConfigMap, Event, Pod, Service
from kubewright.sync import Client
from kubewright.testing import Cluster
from tests.cel import needs_cel

README = (Path(__file__).parents[1] / "README.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)

BODY = """
body = b'''{"items":[{"metadata":{"name":"web","namespace":"shop"},"spec":{"containers":[
{"name":"main","image":"web:1","resources":{"requests":{"memory":"64Mi"}}}]}}]}'''
"""
TEXT = """
text = "apiVersion: example.com/v1\\nkind: Widget\\nmetadata: {name: w}\\nspec: {size: 3}\\n"
"""


def run(program: str, **environment: str) -> str:
    """What a program prints."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **environment},
    )
    return done.stdout


POD: dict[str, Any] = {
    "metadata": {"name": "etcd", "labels": {"tier": "control-plane"}},
    "spec": {"containers": [{"name": "main", "image": "etcd"}]},
}


def test_the_first_program() -> None:
    with Cluster.in_thread(controllers="none") as cluster:
        with Client(cluster.config) as client:
            client.api(Pod, "kube-system").create(POD)
        assert run(PROGRAMS[0], KUBECONFIG=cluster.kubeconfig) == "etcd Pending\n"


def test_a_cluster() -> None:
    told = 'ADDED blue\nMODIFIED red\nDELETED red\nconfigmaps "colors" not found (404 NotFound)\n'
    assert run(PROGRAMS[1]) == told


def test_informers() -> None:
    pod = {**POD, "spec": {**POD["spec"], "nodeName": "n1"}}
    with Cluster.in_thread(controllers="none") as cluster:
        with Client(cluster.config) as client:
            client.api(Pod, "kube-system").create(pod)
        assert run(PROGRAMS[2], KUBECONFIG=cluster.kubeconfig) == "ADDED kube-system/etcd\n['etcd']\n"


def test_a_controller() -> None:
    with Cluster.in_thread(controllers="none") as cluster, Client(cluster.config) as client:
        maps = client.api(ConfigMap, "default")
        maps.create({"metadata": {"name": "colors", "labels": {"mirror": ""}}, "data": {"sky": "blue"}})
        environment = {**os.environ, "KUBECONFIG": cluster.kubeconfig}
        with subprocess.Popen([sys.executable, "-c", PROGRAMS[3]], env=environment) as program:
            try:
                maps.wait_for("colors-mirror", lambda copy: copy.data == {"sky": "blue"}, timeout=60)
                maps.patch("colors", {"data": {"sky": "red"}})
                maps.wait_for("colors-mirror", lambda copy: copy.data == {"sky": "red"}, timeout=60)
                maps.delete("colors-mirror")
                maps.wait_for("colors-mirror", lambda copy: copy.data == {"sky": "red"}, timeout=60)
            finally:
                program.send_signal(signal.SIGTERM)
            assert program.wait(60) == 0
        reasons = {event.reason for event in client.api(Event, "default").list()}
    assert reasons == {"Mirrored"}


def test_a_controller_that_is_a_class() -> None:
    with Cluster.in_thread(controllers="none") as cluster, Client(cluster.config) as client:
        services = client.api(Service, "default")
        ports = [{"port": 80}]
        services.create({"metadata": {"name": "web", "labels": {"dns": ""}}, "spec": {"ports": ports}})
        environment = {**os.environ, "KUBECONFIG": cluster.kubeconfig}
        with subprocess.Popen([sys.executable, "-c", PROGRAMS[4]], env=environment) as program:
            try:
                services.wait_for("web", lambda web: bool(web.metadata.finalizers), timeout=60)
                services.delete("web")
                services.wait_for("web", "deleted", timeout=60)
            finally:
                program.send_signal(signal.SIGTERM)
            assert program.wait(60) == 0
        (event,) = client.api(Event, "default").list(fields="involvedObject.kind=Service")
        address = event.message.removeprefix("default/web is ")
    assert event.reason == "Registered"
    assert ip_address(address).is_private


def test_objects() -> None:
    assert run(BODY + PROGRAMS[5] + "print(memory)") == "shop/web web:1\n64Mi\n"


@needs_cel
def test_a_custom_resource() -> None:
    assert run(TEXT + PROGRAMS[6]).endswith("spec:\n  size: 3\n  colors:\n  - red\n\n")


CREATE = """
from kubewright import Invalid
from kubewright.sync import Client

with Client() as client:
    client.api(type(Widget.crd())).create(Widget.crd())
    client.api(type(Widget.crd())).wait_for("widgets.example.com", "Established", timeout=60)
    widgets = client.api(Widget, "default")
    for name, spec in {"plain": {}, "sized": {"size": 2}, "full": {"size": 1, "colors": ["a"]}}.items():
        created = widgets.create({"metadata": {"name": name}, "spec": spec})
        print(name, created.spec.size, created.spec.colors)
    try:
        widgets.create({"metadata": {"name": "wrong"}, "spec": {"size": 1, "colors": ["a", "b"]}})
    except Invalid as error:
        print("no more colors than its size" in str(error))
"""


@needs_cel
def test_the_custom_resource_on_a_cluster() -> None:
    """Each widget is judged by its rule, also one that says nothing about colors."""
    with Cluster.in_thread(controllers="none") as cluster:
        printed = run(TEXT + PROGRAMS[6] + CREATE, KUBECONFIG=cluster.kubeconfig)
    assert printed.endswith("plain 1 []\nsized 2 []\nfull 1 ['a']\nTrue\n")


def test_there_are_no_other_programs() -> None:
    assert len(PROGRAMS) == 7
