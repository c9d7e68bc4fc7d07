"""Conversion webhooks that fail, answer nonsense or cannot be reached: what their callers are told."""

from __future__ import annotations

import base64
import re
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.conformance.client import Client, Response
from tests.conformance.conversion_webhook import Answer, ConversionWebhook, answer, make_certificates, success
from tests.conformance.conversions import Conversions, convert
from tests.conformance.namespaces import Namespace, new_namespace
from tests.conformance.statuses import assert_failure, is_from_real_server

NAME = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)


@pytest.fixture(scope="module")
def webhook() -> Iterator[ConversionWebhook]:
    with ConversionWebhook.running() as running:
        yield running


@pytest.fixture(scope="module")
def shared(client: Client, webhook: ConversionWebhook) -> tuple[Conversions, Namespace]:
    widgets, namespace = convert(client, webhook), new_namespace(client)
    widgets.create("v1", namespace.name, "a", size=1)
    return widgets, namespace


@pytest.fixture
def widgets(shared: tuple[Conversions, Namespace]) -> Iterator[Conversions]:
    yield shared[0]
    shared[0].webhook.answer = success


@pytest.fixture
def place(shared: tuple[Conversions, Namespace]) -> str:
    """The namespace of a widget `a` that is stored in v1."""
    return shared[1].name


def changed(change: Callable[[dict[str, Any]], Any]) -> Answer:
    """Answers as if all were well, but for a change to the review."""

    def made(review: dict[str, Any]) -> dict[str, Any]:
        answered = success(review)
        change(answered)
        return answered

    return made


def each_object(change: Callable[[dict[str, Any]], Any]) -> Answer:
    """The same with a change to the converted objects, or with what the change gives in their place."""

    def change_all(review: dict[str, Any]) -> None:
        response = review["response"]
        response["convertedObjects"] = [change(each) or each for each in response["convertedObjects"]]

    return changed(change_all)


def metadata(**fields: Any) -> Answer:
    return each_object(lambda obj: obj["metadata"].update(fields))


FAILED = "conversion webhook for {group}/v1, Kind=Widget failed: "
INVALID = "conversion webhook for {group}/v1, Kind=Widget returned invalid "

CASES: dict[str, tuple[Answer, str]] = {
    "failure with a message": (
        lambda review: answer(review, [], result={"status": "Failure", "message": "I will not"}),
        FAILED + "I will not",
    ),
    "failure without a message": (
        lambda review: answer(review, [], result={"status": "Failure"}),
        FAILED + "response.result.status was 'Failure', not 'Success'",
    ),
    "no result": (
        changed(lambda review: review["response"].pop("result")),
        FAILED + "response.result.status was '', not 'Success'",
    ),
    "no response": (changed(lambda review: review.pop("response")), FAILED + "no response provided"),
    "an empty object": (
        lambda review: b"{}",
        FAILED + "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=",
    ),
    "an empty body": (
        lambda review: b"",
        FAILED + "0-length response with status code: 200 and content type: application/json",
    ),
    "too few objects": (
        changed(lambda review: review["response"].update(convertedObjects=[])),
        "conversion webhook for {group}/v1, Kind=Widget returned 0 objects, expected 1",
    ),
    "too many objects": (
        changed(lambda review: review["response"].update(convertedObjects=[{}, {}])),
        "conversion webhook for {group}/v1, Kind=Widget returned 2 objects, expected 1",
    ),
    "a text for an object": (
        each_object(lambda obj: "x"),
        "json: cannot unmarshal string into Go value of type map[string]interface {{}}",
    ),
    "null for an object": (
        changed(lambda review: review["response"].update(convertedObjects=[None])),
        "unexpected end of JSON input",
    ),
    "no kind": (each_object(lambda obj: {"a": "b"}), "Object 'Kind' is missing in '{{\"a\": \"b\"}}'"),
    "another version": (
        each_object(lambda obj: obj.update(apiVersion="x/y")),
        INVALID + "object at index 0: invalid groupVersion (expected {group}/v2, received x/y)",
    ),
    "no version": (
        each_object(lambda obj: {**obj, "apiVersion": ""}),
        INVALID + "object at index 0: invalid groupVersion (expected {group}/v2, received )",
    ),
    "another kind": (
        each_object(lambda obj: obj.update(kind="Gadget")),
        INVALID + "object at index 0: invalid kind (expected Widget, received Gadget)",
    ),
    "no metadata": (
        each_object(lambda obj: {**obj, "metadata": "x"}),
        INVALID + "object: must have the same name: a != ",
    ),
    "another name": (metadata(name="b"), INVALID + "object: must have the same name: a != b"),
    "another namespace": (
        metadata(namespace="b"),
        INVALID + "object: must have the same namespace: {namespace} != b",
    ),
    "another uid": (metadata(uid="b"), INVALID + "object: must have the same UID: {uid} != b"),
    "labels that are none": (
        metadata(labels="x"),
        INVALID + "metadata: invalid metadata.labels of type string in converted object",
    ),
    "a label that is a number": (
        metadata(labels={"a": 1}),
        INVALID + "metadata: metadata.labels[a] must be a string, but is int64 in converted object",
    ),
    "a bad label": (
        metadata(labels={"a b": "c"}),
        INVALID + f'metadata: metadata.labels: Invalid value: "a b": {NAME}',
    ),
    "a bad annotation": (
        metadata(annotations={"a b": "c"}),
        INVALID + f'metadata: metadata.annotation: Invalid value: "a b": {NAME}',
    ),
    "status 404": (lambda review: 404, FAILED + "the server could not find the requested resource"),
    "status 500": (
        lambda review: 500,
        FAILED + 'an error on the server ("unknown") has prevented the request from succeeding',
    ),
    "a redirection": (
        lambda review: 302,
        FAILED + "the server responded with the status code 302 but did not return more information",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_read_fails(client: Client, widgets: Conversions, place: str, case: str) -> None:
    uid = widgets.get("v1", place, "a")["metadata"]["uid"]
    widgets.webhook.answer, message = CASES[case]
    response = client.get(widgets.path("v2", place, "a"))
    expected = message.format(group=widgets.group, namespace=place, uid=uid)
    if case == "no kind" and not is_from_real_server(response):
        # The real server repeats the bytes that came.
        expected = expected.replace('"a": ', '"a":')
    assert_failure(response, 500, None, expected)


NONSENSE: dict[str, Answer] = {
    "garbage": lambda review: b"garbage",
    "a list": lambda review: b"[]",
    "another kind": changed(lambda review: review.update(kind="Pod", apiVersion="v1")),
    "another version": changed(lambda review: review.update(apiVersion="apiextensions.k8s.io/v1beta1")),
    "a response that is a text": changed(lambda review: review.update(response="x")),
    "a uid that is a number": changed(lambda review: review["response"].update(uid=1)),
    "objects that are a text": changed(lambda review: review["response"].update(convertedObjects="x")),
    "nesting without end": lambda review: b'{"a":' * 100_000,
}


@pytest.mark.parametrize("case", NONSENSE)
def test_an_answer_that_is_no_review(client: Client, widgets: Conversions, place: str, case: str) -> None:
    widgets.webhook.answer = NONSENSE[case]
    # What exactly is wrong with it each server says in its own words.
    assert_failed(client.get(widgets.path("v2", place, "a")), widgets, ".+")


def test_an_answer_to_another_request(client: Client, widgets: Conversions, place: str) -> None:
    widgets.webhook.answer = changed(lambda review: review["response"].update(uid="u"))
    expected = r'expected response\.uid="[0-9a-f-]{36}", got "u"'
    assert_failed(client.get(widgets.path("v2", place, "a")), widgets, expected)


def test_nothing_is_written(client: Client, widgets: Conversions, place: str) -> None:
    widgets.webhook.answer = CASES["failure with a message"][0]
    made = client.post(widgets.path("v2", place), widgets.widget("v2", "b", width=1))
    assert_failure(
        made, 500, None, f"conversion webhook for {widgets.group}/v2, Kind=Widget failed: I will not"
    )
    assert_failed(client.patch(widgets.path("v2", place, "a"), {"spec": {"width": 2}}), widgets, "I will not")
    assert_failed(client.delete(widgets.path("v2", place, "a")), widgets, "I will not")
    # The stored version needs no webhook.
    assert client.get(widgets.path("v1", place, "b")).status == 404
    assert widgets.get("v1", place, "a")["spec"]["size"] == 1


def test_a_closed_port(client: Client, webhook: ConversionWebhook, namespace: Namespace) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = "{}:{}".format(*closed.getsockname())
        config = {**webhook.conversion()["webhook"]["clientConfig"], "url": f"https://{address}/convert"}
        widgets = convert(client, webhook, clientConfig=config)
        widgets.create("v1", namespace.name, "a", size=1)
        expected = (
            rf'Post "https://{address}/convert\?timeout=30s": dial tcp {address}: connect: connection refused'
        )
        assert_failed(client.get(widgets.path("v2", namespace.name, "a")), widgets, expected)


@pytest.mark.parametrize("bundle", ["another authority", ""])
def test_an_authority_that_is_not_trusted(
    client: Client, webhook: ConversionWebhook, namespace: Namespace, bundle: str
) -> None:
    authority = base64.b64encode(make_certificates()[0]).decode() if bundle else None
    config = {"url": webhook.url, **({"caBundle": authority} if authority else {})}
    widgets = convert(client, webhook, clientConfig=config)
    widgets.create("v1", namespace.name, "a", size=1)
    expected = (
        rf'Post "{webhook.url}\?timeout=30s": tls: failed to verify certificate: x509: certificate signed by '
        "unknown authority.*"
    )
    assert_failed(client.get(widgets.path("v2", namespace.name, "a")), widgets, expected)


def assert_failed(response: Response, widgets: Conversions, why: str) -> None:
    """500, with a message that ends like that.

    Which conversion of several comes first is not always the same on the real server.
    """
    body = response.json()
    start = re.escape(f"conversion webhook for {widgets.group}/")
    assert re.fullmatch(f"{start}v[12], Kind=Widget failed: {why}", body["message"]), body["message"]
    assert_failure(response, 500, None, body["message"])
