"""Every built-in kind: what it is filled in with, how it is printed, and that all verbs work on it."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright.machinery.protobuf import CONTENT_TYPE, decode, encode
from kubewright.models.protobuf_tables import builtin_messages
from tests.conformance.client import Client
from tests.conformance.kinds import KINDS, Kind
from tests.conformance.namespaces import Namespace, new_namespace, unique
from tests.conformance.recorded_kinds import observed, recorded, refused

# kube-apiserver writes their status in its own time; that of policies kubewright, as a controller would.
RESTLESS = {"FlowSchema", "PriorityLevelConfiguration", "ValidatingAdmissionPolicy"}
# Their first write that changes nothing changes the revision all the same; the second does not.
REWRITTEN = {"Job", "PersistentVolumeClaim"}
QUIET = [kind for kind in KINDS if kind.kind not in RESTLESS]


@pytest.fixture(scope="module")
def place(client: Client) -> Namespace:
    """One namespace for all kinds."""
    return new_namespace(client)


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return recorded()


@pytest.fixture(scope="module")
def messages() -> Any:
    return builtin_messages()


def created(client: Client, place: Namespace, kind: Kind) -> tuple[str, Any]:
    """An object: its path, and itself."""
    name = unique("kind")
    response = client.post(kind.path(place), kind.object(name, place))
    assert response.status == 201, response.text
    return f"{kind.path(place)}/{name}", response.json()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_what_is_made_of_it(client: Client, place: Namespace, record: dict[str, Any], kind: Kind) -> None:
    expected = record[str(kind)]
    found = observed(client, place, kind)
    assert found["created"] == expected["created"]
    assert found["columns"] == expected["columns"]
    if kind.kind not in RESTLESS:
        assert found["cells"] == expected["cells"]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_nothing_but_a_name(client: Client, place: Namespace, record: dict[str, Any], kind: Kind) -> None:
    assert refused(client, place, kind) == record[str(kind)]["empty"]


@pytest.mark.differs("key order")
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_keys_come_in_the_order_of_go(
    client: Client, place: Namespace, record: dict[str, Any], kind: Kind
) -> None:
    def orders(value: Any) -> Any:
        if isinstance(value, dict):
            return [(key, orders(each)) for key, each in value.items()]
        return [orders(each) for each in value] if isinstance(value, list) else None

    assert orders(observed(client, place, kind)["created"]) == orders(record[str(kind)]["created"])


@pytest.mark.parametrize("kind", QUIET, ids=str)
def test_reading_and_writing_it_back(client: Client, place: Namespace, kind: Kind) -> None:
    path, made = created(client, place, kind)
    assert client.get(path).json() == made
    if kind.kind in REWRITTEN:
        made = client.put(path, made).json()
    assert client.put(path, made).json() == made
    assert client.patch(path, {}).json() == made
    name = made["metadata"]["name"]
    found = client.get(kind.path(place), fieldSelector=f"metadata.name={name}").json()
    bare = {key: value for key, value in made.items() if key not in {"kind", "apiVersion"}}
    assert (found["kind"], found["items"]) == (f"{kind.kind}List", [bare])


@pytest.mark.parametrize("kind", QUIET, ids=str)
def test_in_protobuf(client: Client, place: Namespace, messages: Any, kind: Kind) -> None:
    headers = {"Content-Type": CONTENT_TYPE, "Accept": CONTENT_TYPE}
    name = unique("kind")
    response = client.post(kind.path(place), encode(kind.object(name, place), messages), headers=headers)
    assert response.status == 201, response.body
    found = client.get(f"{kind.path(place)}/{name}").json()
    for template in found["spec"].get("volumeClaimTemplates", []) if kind.kind == "StatefulSet" else []:
        # Which kind a nested object is of is not on the protobuf wire.
        del template["kind"], template["apiVersion"]
    assert _without_nulls(decode(response.body, messages)[2]) == _without_nulls(found)


def _without_nulls(value: Any) -> Any:
    """Nulls and empty lists are not on the protobuf wire."""
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None and each != []}
    return [_without_nulls(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("kind", QUIET, ids=str)
def test_labels_can_be_written_and_it_can_be_deleted(client: Client, place: Namespace, kind: Kind) -> None:
    path, made = created(client, place, kind)
    start = made["metadata"]["resourceVersion"]
    changed = client.patch(path, {"metadata": {"labels": {"x": "y"}}}).json()
    assert changed["metadata"]["labels"]["x"] == "y"
    # An EndpointSlice counts its labels as well.
    raised = 1 if kind.kind == "EndpointSlice" else 0
    assert changed["metadata"].get("generation", 0) == made["metadata"].get("generation", 0) + raised
    if kind.kind == "Namespace":
        return
    name = made["metadata"]["name"]
    assert client.delete(path, gracePeriodSeconds=0).status == 200
    query = {"resourceVersion": start, "fieldSelector": f"metadata.name={name}"}
    with client.watch(kind.path(place), **query) as watch:
        (first, seen), (second, gone) = watch.take(2)
    assert (first, seen) == ("MODIFIED", changed)
    assert second in {"DELETED", "MODIFIED"}
    assert gone["metadata"]["uid"] == made["metadata"]["uid"]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_applying_it(client: Client, place: Namespace, kind: Kind) -> None:
    name = unique("kind")
    path = f"{kind.path(place)}/{name}"
    body = kind.object(name, place)
    body["metadata"]["labels"] = {"x": "y"}
    first = client.apply(path, body)
    assert first.status == 201, first.text
    again = client.apply(path, body)
    assert again.status == 200
    if kind.kind not in RESTLESS | REWRITTEN:
        assert again.json() == first.json()
