"""ConversionReviews and their answers, without a server."""

from __future__ import annotations

import json
import logging
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright import DeclarationError, DecodeError, Resource, custom_resource
from kubewright.crd import ConversionError
from kubewright.crd.conversion_review import review, versions_of
from tests.crd.versioned_kinds import Site, SiteV1Beta1

GROUP = "sites.example.com"
VERSIONS = versions_of(Site)


def beta(name: str = "web", address: str = "a:80") -> dict[str, Any]:
    return {
        "apiVersion": f"{GROUP}/v1beta1",
        "kind": "Site",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"},
        "spec": {"address": address, "minReplicas": 1, "maxReplicas": 2},
    }


def asked(*objects: Any, desired: str = f"{GROUP}/v1", **review_fields: Any) -> Any:
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "request": {"uid": "705ab4f5", "desiredAPIVersion": desired, "objects": list(objects)},
        "response": {"uid": "", "convertedObjects": None, "result": {"metadata": {}}},
        **review_fields,
    }
    return json.loads(review(VERSIONS, json.dumps(body).encode()))


def failure(*objects: Any, **options: Any) -> str:
    """The message of the answer, which must be a failure and nothing else."""
    answer = asked(*objects, **options)
    message: str = answer["response"]["result"].pop("message")
    assert answer["response"] == {"uid": "705ab4f5", "convertedObjects": [], "result": {"status": "Failure"}}
    assert "\n" not in message
    return message


def test_objects_come_back_in_order() -> None:
    names = [f"n{i}" for i in range(20)]
    answer = asked(*(beta(name) for name in names))
    response = answer.pop("response")
    assert answer == {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}
    assert (response["uid"], response["result"]) == ("705ab4f5", {"status": "Success"})
    assert [each["metadata"]["name"] for each in response["convertedObjects"]] == names
    assert response["convertedObjects"][3] == {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Site",
        "metadata": {"name": "n3", "namespace": "default", "uid": "uid-n3"},
        "spec": {"host": "a", "port": 80, "replicas": {"min": 1, "max": 2}, "tags": []},
    }


def test_an_object_of_the_desired_version_comes_back_as_it_is() -> None:
    odd = '{"kind":"Site", "spec" : {"unknown":1.0},"apiVersion":"sites.example.com/v1","metadata":null}'
    request = f'{{"uid":"u","desiredAPIVersion":"{GROUP}/v1","objects":[{odd}]}}'
    body = f'{{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{request}}}'
    assert odd.encode() in review(VERSIONS, body.encode())


def test_objects_of_several_versions_at_once() -> None:
    alpha = {
        "apiVersion": f"{GROUP}/v1alpha1",
        "kind": "Site",
        "metadata": {"name": "b"},
        "spec": {"endpoint": {"hostname": "b", "port": "1"}, "size": 4},
    }
    response = asked(beta("a"), alpha)["response"]
    assert [each["spec"]["host"] for each in response["convertedObjects"]] == ["a", "b"]


def test_no_objects() -> None:
    assert asked()["response"]["convertedObjects"] == []
    without = asked(request={"uid": "u", "desiredAPIVersion": f"{GROUP}/v1", "objects": None})
    assert without["response"] == {"uid": "u", "convertedObjects": [], "result": {"status": "Success"}}


def test_a_function_that_raises(caplog: pytest.LogCaptureFixture) -> None:
    way = f"from {GROUP}/v1beta1 to {GROUP}/v1"
    assert failure(beta("a"), beta("b", "nothing")) == (
        f"Site default/b cannot be converted {way}: the address 'nothing' has no port; write HOST:PORT"
    )
    # What was meant for the client needs no traceback.
    assert caplog.records == []
    with caplog.at_level(logging.WARNING):
        assert failure(beta("b", "a:b")) == (
            f"Site default/b cannot be converted {way}: "
            "ValueError: invalid literal for int() with base 10: 'b'"
        )
    assert "the conversion of Site default/b failed" in caplog.text
    assert "in to_hub" in caplog.text


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ValueError("two\nlines"), "ValueError: two lines"),
        (KeyError(), "KeyError"),
        (RecursionError(), "RecursionError"),
        (SystemExit(3), "SystemExit: 3"),
        (ConversionError("in words"), "in words"),
        (ConversionError(), "ConversionError"),
        (ValueError("x" * 5000), f"ValueError: {'x' * 1012}..."),
    ],
)
def test_whatever_is_raised(monkeypatch: pytest.MonkeyPatch, error: BaseException, why: str) -> None:
    def raises(_: object) -> None:
        raise error

    monkeypatch.setattr(SiteV1Beta1, "to_hub", raises)
    way = f"from {GROUP}/v1beta1 to {GROUP}/v1"
    assert failure(beta()) == f"Site default/web cannot be converted {way}: {why}"


def test_a_function_that_returns_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SiteV1Beta1, "to_hub", lambda _: None)
    assert failure(beta()).endswith("SiteV1Beta1.to_hub returned None; return a Site")


def test_what_cannot_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Site.from_dict(asked(beta())["response"]["convertedObjects"][0])
    made.spec.host = "\ud800"
    monkeypatch.setattr(SiteV1Beta1, "to_hub", lambda _: made)
    assert "lone surrogate" in failure(beta())


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        ({**beta(), "spec": 7}, "Site default/web cannot be converted .*: .* spec: expected object, got int"),
        ({**beta(), "spec": {"address": 7}}, "Site default/web cannot be converted .*: .*address.*got int"),
        (
            {**beta(), "metadata": 7},
            r"Site objects\[0\] cannot be converted .*: objects\[0\].metadata: expected",
        ),
        ({**beta(), "kind": "Other"}, r"objects\[0\]: sites.example.com/v1beta1 Other is not converted here"),
        (
            {**beta(), "apiVersion": "a/v1"},
            r"objects\[0\]: a/v1 Site is not converted here; add_conversion takes",
        ),
        ({**beta(), "apiVersion": "a/b/c"}, r"objects\[0\]: Site: apiVersion is 'a/b/c'"),
        ({**beta(), "apiVersion": 7}, r"objects\[0\]: Site: apiVersion is missing"),
        ({}, r"objects\[0\]: object: kind is missing"),
        (None, r"objects\[0\]: object: expected object, got null"),
        ([], r"objects\[0\]: object: expected object, got array"),
    ],
)
def test_objects_that_are_none(obj: Any, message: str) -> None:
    assert re.match(message, failure(obj))


def test_a_required_part_that_is_missing() -> None:
    obj = beta()
    del obj["spec"]
    assert failure(obj).endswith("SiteV1Beta1 default/web has no spec, which a SiteV1Beta1 must have")


def test_versions_that_are_unknown() -> None:
    assert failure(beta(), desired=f"{GROUP}/v7").startswith(
        f"objects[0]: {GROUP}/v7 Site is not converted here"
    )
    assert failure(beta(), desired="").startswith("desiredAPIVersion: apiVersion is ''")


def test_another_version_of_reviews() -> None:
    answer = asked(beta(), apiVersion="apiextensions.k8s.io/v1beta1")
    # In the words of the one who asks, so that they reach the client.
    assert answer["apiVersion"] == "apiextensions.k8s.io/v1beta1"
    assert answer["response"]["result"] == {
        "status": "Failure",
        "message": "ConversionReview of apiextensions.k8s.io/v1beta1 is not spoken here; "
        'write conversionReviewVersions: ["v1"] in the definition',
    }
    assert failure(beta(), apiVersion="").startswith("ConversionReview of no apiVersion is not spoken here")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nothing",
        b"[]",
        b"{}",
        b"\xff",
        b'{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}',
        b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u"}}',
        b'{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":7}}',
        b'{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"objects":{}}}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_review(body: bytes) -> None:
    with pytest.raises(DecodeError, match="ConversionReview"):
        review(VERSIONS, body)


def test_only_whole_kinds_are_converted() -> None:
    @custom_resource(group="example.com", version="v1")
    class Thing(Resource):
        pass

    with pytest.raises(DeclarationError, match="Thing has no conversion functions; give its other versions"):
        versions_of(Thing)
    with pytest.raises(
        DeclarationError, match="SiteV1Beta1 is not the whole kind; give the class that has it in"
    ):
        versions_of(SiteV1Beta1)
    with pytest.raises(DeclarationError, match="Resource is no custom resource"):
        versions_of(Resource)
    assert len(versions_of(Site)) == 3


plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=4)
    | st.sampled_from([f"{GROUP}/v1", "Site"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "apiVersion", "metadata", "spec", "address", "labels", "name"]), inner
        )
    ),
    max_leaves=8,
)


@given(st.lists(plain | st.builds(lambda spec: {**beta(), "spec": spec}, plain), max_size=3), plain)
def test_any_objects_get_an_answer(objects: list[Any], more: Any) -> None:
    answer = asked(*objects, more, {**beta(), "metadata": more})
    result = answer["response"]["result"]
    assert answer["response"]["uid"] == "705ab4f5"
    assert (result["status"] == "Success") == (
        len(answer["response"]["convertedObjects"]) == len(objects) + 2
    )
    assert result["status"] == "Success" or result["message"]


DEEP = b'{"f:a":' * 3000 + b"{}" + b"}" * 3000


def deep_review(*objects: dict[str, Any], desired: str = f"{GROUP}/v1") -> bytes:
    """The answer to a review in which "DEEP" stands for what is nested deeper than can be decoded."""
    body = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "ConversionReview",
        "request": {"uid": "705ab4f5", "desiredAPIVersion": desired, "objects": objects},
    }
    return review(VERSIONS, json.dumps(body).encode().replace(b'"DEEP"', DEEP))


def test_managed_fields_that_are_nested_too_deeply_keep_no_object_from_being_read() -> None:
    """Anybody may write them who may write one object; API servers send all objects of a list together."""
    one = beta("one")
    one["metadata"]["managedFields"] = [{"manager": "m", "fieldsV1": "DEEP"}]
    answer = json.loads(deep_review(beta("first"), one, beta("last")))
    assert answer["response"]["result"] == {"status": "Success"}
    converted = answer["response"]["convertedObjects"]
    assert [each["metadata"]["name"] for each in converted] == ["first", "one", "last"]
    assert {each["apiVersion"] for each in converted} == {f"{GROUP}/v1"}


def test_other_fields_that_are_nested_too_deeply() -> None:
    deep = {**beta("deep"), "spec": "DEEP"}
    same = deep_review(beta("a"), deep, desired=f"{GROUP}/v1beta1")
    assert b'"spec":' + DEEP in same.replace(b'"spec": ', b'"spec":')
    told = json.loads(deep_review(beta("a"), deep))["response"]["result"]["message"]
    assert told.startswith("Site default/deep cannot be converted from")
    assert told.endswith("the JSON is nested too deeply")
