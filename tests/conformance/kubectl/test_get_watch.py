"""kubectl get --watch: what it prints as objects change."""

from __future__ import annotations

import json
import re

from tests.conformance.client import Client
from tests.conformance.kubectl.program import Kubectl, Running
from tests.conformance.namespaces import Namespace
from tests.conformance.objects import config_map


def change(client: Client, namespace: Namespace) -> None:
    path = f"{namespace.config_maps}/a"
    assert client.patch(path, {"data": {"l": "w"}}).status == 200
    assert client.delete(path).status == 200


def test_a_table_that_grows(kubectl: Kubectl, client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    with kubectl.start("get", "cm", "-w") as watch:
        assert watch.line().split() == ["NAME", "DATA", "AGE"]
        assert watch.line().split()[:2] == ["a", "1"]
        change(client, namespace)
        assert watch.line().split()[:2] == ["a", "2"]
        assert watch.line().split()[:2] == ["a", "2"]
        namespace.create(namespace.config_maps, config_map("b"))
        assert watch.line().split()[:2] == ["b", "0"]


def test_the_types_of_events(kubectl: Kubectl, client: Client, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"k": "v"}))
    with kubectl.start("get", "cm", "-w", "--output-watch-events") as watch:
        assert watch.line().split() == ["EVENT", "NAME", "DATA", "AGE"]
        assert watch.line().split()[:3] == ["ADDED", "a", "1"]
        change(client, namespace)
        assert watch.line().split()[:3] == ["MODIFIED", "a", "2"]
        assert watch.line().split()[:3] == ["DELETED", "a", "2"]


def said(watch: Running) -> str:
    """The next line that is not of kubectl's log."""
    while LOGGED.match(line := watch.line()):
        pass
    return line


def wait_until_open(watch: Running) -> None:
    """At verbosity 6 kubectl tells of every answer, that is, also when the watch has begun."""
    while "watch=true" not in watch.line():
        pass


LOGGED = re.compile(r"I\d{4} ")


def test_one_object_as_names(kubectl: Kubectl, client: Client, namespace: Namespace) -> None:
    for name in ["a", "b"]:
        namespace.create(namespace.config_maps, config_map(name, {"k": "v"}))
    with kubectl.start("get", "cm", "a", "-w", "-o", "name", "-v=6") as watch:
        assert said(watch) == "configmap/a"
        # kubectl leaves out the first event, which is the object as it was when the watch began.
        wait_until_open(watch)
        client.patch(f"{namespace.config_maps}/b", {"data": {"l": "w"}})
        client.patch(f"{namespace.config_maps}/a", {"data": {"l": "w"}})
        assert said(watch) == "configmap/a"


def test_changes_only_as_json(kubectl: Kubectl, namespace: Namespace) -> None:
    namespace.create(namespace.config_maps, config_map("a", {"k": "v"}, labels={"new": "yes"}))
    arguments = ["cm", "--watch-only", "--output-watch-events", "-o", "json", "-l", "new=yes"]
    with kubectl.start("get", *arguments, "-v=6") as watch:
        wait_until_open(watch)
        namespace.create(namespace.config_maps, config_map("b", {"k": "v"}, labels={"new": "yes"}))
        event = json.loads(said(watch))
    assert (event["type"], event["object"]["kind"]) == ("ADDED", "ConfigMap")
    assert event["object"]["metadata"]["name"] == "b"
