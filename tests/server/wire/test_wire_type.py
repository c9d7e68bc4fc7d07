"""Bodies of built-in kinds: what is kept, what is dropped, what is refused, and in which words.

The texts are those of a kube-apiserver 1.36; test_against_upstream compares far more of them.
"""

# ruff: noqa: E501 - a message of the server stands on one line

from __future__ import annotations

import json
from typing import Any

import pytest

from kubewright.server.wire import WireError, WrongKind, wire_type
from tests.server.wire.bodies import ALL_KINDS

POD = wire_type("v1", "Pod")
DEPLOYMENT = wire_type("apps/v1", "Deployment")


def read(api_version: str, kind: str, **members: Any) -> Any:
    body = json.dumps({"apiVersion": api_version, "kind": kind, **members}).encode()
    found = wire_type(api_version, kind).read(body, strict=True)
    assert found.problems == ()
    return {name: value for name, value in found.obj.items() if name not in {"apiVersion", "kind"}}


def error(data: bytes, api_version: str = "v1", kind: str = "Pod") -> WireError:
    with pytest.raises(WireError) as caught:
        wire_type(api_version, kind).read(data, strict=True)
    return caught.value


def test_a_pod_is_read_as_go_writes_it() -> None:
    found = read(
        "v1",
        "Pod",
        metadata={"name": "a", "namespace": "", "creationTimestamp": None, "labels": {}},
        spec={
            "containers": [
                {
                    "name": "a",
                    "env": [],
                    "stdin": False,
                    "resources": {"limits": {"cpu": "1000m", "memory": 5}},
                }
            ],
            "hostNetwork": False,
            "priority": 0,
            "securityContext": {},
        },
    )
    assert found == {
        "metadata": {"name": "a"},
        "spec": {
            "containers": [{"name": "a", "resources": {"limits": {"cpu": "1", "memory": "5"}}}],
            "priority": 0,
            "securityContext": {},
        },
        "status": {},
    }


def test_fields_stand_in_the_order_of_go() -> None:
    found = POD.read(b'{"status":{},"spec":{"nodeName":"n","containers":[]},"kind":"Pod"}', strict=True)
    assert json.dumps(found.obj) == (
        '{"kind": "Pod", "metadata": {}, "spec": {"containers": [], "nodeName": "n"}, "status": {}}'
    )


def test_apiversion_and_kind_are_as_sent() -> None:
    assert POD.read(b"{}", strict=True).obj == {
        "metadata": {},
        "spec": {"containers": None},
        "status": {},
    }
    assert POD.read(b'{"apiVersion":"v1","kind":"Pod"}', strict=True).obj["apiVersion"] == "v1"
    assert POD.read(b"null", strict=True).obj == POD.always


def test_forms_are_canonical() -> None:
    secret = read("v1", "Secret", data={"a": "YQ==", "b": "YR==", "c": None, "d": "Y\nQ=="})
    assert secret["data"] == {"a": "YQ==", "b": "YQ==", "c": None, "d": "YQ=="}
    lease = read("coordination.k8s.io/v1", "Lease", spec={"renewTime": "2026-05-03T09:14:27.123456+02:00"})
    assert lease["spec"] == {"renewTime": "2026-05-03T07:14:27.123456Z"}
    event = read("v1", "Event", lastTimestamp="2026-05-03T09:14:27.9+02:00")
    assert event["lastTimestamp"] == "2026-05-03T07:14:27Z"
    service = read("v1", "Service", spec={"ports": [{"port": 80}, {"port": 81, "targetPort": "web"}]})
    assert service["spec"]["ports"] == [{"port": 80, "targetPort": 0}, {"port": 81, "targetPort": "web"}]
    schema = {
        "maximum": 1.0,
        "items": {"type": "string"},
        "additionalProperties": False,
        "default": {"a": 1.5},
    }
    versions = [{"name": "v1", "schema": {"openAPIV3Schema": {"properties": {"a": schema}}}}]
    crd = read("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"versions": versions})
    assert crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["a"] == {
        **schema,
        "maximum": 1,
    }


def test_a_schema_that_is_neither_of_two_things_is_null() -> None:
    schema = {"items": [], "additionalProperties": {}, "dependencies": {"a": [], "b": ["c"]}}
    versions = [{"schema": {"openAPIV3Schema": schema}}]
    crd = read("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec={"versions": versions})
    assert crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == {
        "items": None,
        "additionalProperties": {},
        "dependencies": {"a": None, "b": ["c"]},
    }


def test_kinds_of_one_name_are_told_apart() -> None:
    assert (
        "involvedObject" in wire_type("v1", "EventList").read(b'{"items":[{}]}', strict=True).obj["items"][0]
    )
    events = wire_type("events.k8s.io/v1", "EventList").read(b'{"items":[{}]}', strict=True).obj["items"]
    assert "regarding" in events[0]


def test_what_go_always_writes() -> None:
    assert POD.always == {"metadata": {}, "spec": {"containers": None}, "status": {}}
    assert DEPLOYMENT.always["spec"] == {
        "selector": None,
        "template": {"metadata": {}, "spec": {"containers": None}},
        "strategy": {},
    }
    assert wire_type("apps/v1", "ControllerRevision").always == {"metadata": {}, "data": None, "revision": 0}


@pytest.mark.parametrize(("api_version", "kind"), ALL_KINDS)
def test_an_empty_body_is_what_go_always_writes(api_version: str, kind: str) -> None:
    kept = wire_type(api_version, kind)
    assert kept.read(b"{}", strict=True) == (kept.always, ())
    assert kept.read_object({}, strict=True) == (kept.always, ())
    assert kept.read_object(kept.always, strict=True) == (kept.always, ())


@pytest.mark.parametrize(
    ("body", "problems"),
    [
        (
            '{"spec":{"foo":5,"volumes":[{"name":"a","foo":1}]},"metadata":{"name":"x","name":"y"}}',
            (
                'unknown field "spec.foo"',
                'unknown field "spec.volumes[0].foo"',
                'duplicate field "metadata.name"',
            ),
        ),
        ('{"spec":{"nodeSelector":{"a":"1","a":"2"}}}', ('duplicate field "spec.nodeSelector.a"',)),
        ('{"Spec":{},"":1,"q\\"":2}', ('unknown field "Spec"', 'unknown field ""', 'unknown field "q\\""')),
        ('{"foo":1,"foo":1}', ('unknown field "foo"',)),
        ('{"spec":{"$patch":"replace"}}', ('unknown field "spec.$patch"',)),
        ('{"metadata":{"managedFields":[{"fieldsV1":{"a":1,"a":2}}]}}', ()),
        ('{"metadata":{"name" :"a","na\\u006de":"b"}}', ('duplicate field "metadata.name"',)),
    ],
)
def test_problems(body: str, problems: tuple[str, ...]) -> None:
    assert POD.read(body.encode(), strict=True).problems == problems
    assert POD.read(body.encode(), strict=False).problems == ()
    assert POD.read(body.encode(), strict=False).obj == POD.read(body.encode(), strict=True).obj


def test_at_most_a_hundred_problems() -> None:
    body = json.dumps({f"x{number}": 1 for number in range(300)}).encode()
    problems = POD.read(body, strict=True).problems
    assert len(problems) == 100
    assert problems[-1] == 'unknown field "x99"'


def test_what_comes_twice_is_read_on_top() -> None:
    body = b'{"spec":{"nodeName":"a","containers":[{"name":"x","image":"i"},{"name":"y"}]},"spec":{"containers":[{"name":"z"}]}}'
    spec = POD.read(body, strict=False).obj["spec"]
    assert spec == {"containers": [{"name": "z", "image": "i", "resources": {}}], "nodeName": "a"}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('{"spec":5}', "json: cannot unmarshal number into Go struct field Pod.spec of type v1.PodSpec"),
        (
            '{"spec":{"containers":[{"ports":[{"hostPort":"x"}]}]}}',
            "json: cannot unmarshal string into Go struct field ContainerPort.spec.containers.ports.hostPort of type int32",
        ),
        (
            '{"spec":{"containers":[{"imagePullPolicy":5}]}}',
            "json: cannot unmarshal number into Go struct field Container.spec.containers.imagePullPolicy of type v1.PullPolicy",
        ),
        (
            '{"spec":{"volumes":[{"emptyDir":[]}]}}',
            "json: cannot unmarshal array into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource",
        ),
        (
            '{"spec":{"priority":2147483648}}',
            "json: cannot unmarshal number 2147483648 into Go struct field PodSpec.spec.priority of type int32",
        ),
        (
            '{"spec":{"priority":"a","containers":[{"resources":{"limits":{"cpu":"1mm"}}}]}}',
            "unable to parse quantity's suffix",
        ),
        (
            '{"metadata":{"creationTimestamp":"yesterday"}}',
            'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
        ),
        (
            '{"metadata":{"labels":{"a":1}}}',
            "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
        ),
        (
            '{"metadata":{"labels":[]}}',
            "json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string",
        ),
    ],
)
def test_what_does_not_decode(body: str, text: str) -> None:
    found = error(body.encode())
    assert str(found) == text
    assert found.bad_request("Pod") == f'Pod in version "v1" cannot be handled as a Pod: {text}'
    with pytest.raises(WireError) as caught:
        POD.read_object(json.loads(body), strict=True)
    assert str(caught.value) == text


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            b"",
            "couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
        ),
        (
            b"[]",
            'couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)',
        ),
        (
            b'{"kind":5}',
            'couldn\'t get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})',
        ),
        (
            b'{"kind":"Pod","apiVersion":"v1",}',
            'couldn\'t get version/kind; json parse error: invalid character \'}\' looking for beginning of object key string ({"kind":"Pod","apiVersion":"v1 ...)',
        ),
        (
            b'{"apiVersion":"a/b/c","kind":"Pod"}',
            'unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)',
        ),
    ],
)
def test_what_has_no_kind(body: bytes, message: str) -> None:
    found = error(body)
    assert found.kind == ""
    assert found.bad_request("Pod") == f"the object provided is unrecognized (must be of type Pod): {message}"


@pytest.mark.parametrize(
    ("body", "endpoint", "message"),
    [
        (
            '{"kind":"Service","apiVersion":"v1","foo":1}',
            ("v1", "Pod"),
            'Service in version "v1" cannot be handled as a Pod: converting (v1.Service) to (core.Pod): unknown conversion',
        ),
        (
            '{"kind":"Service","apiVersion":"v1","spec":{"ports":5}}',
            ("v1", "Pod"),
            'Service in version "v1" cannot be handled as a Pod: json: cannot unmarshal number into Go struct field ServiceSpec.spec.ports of type []v1.ServicePort',
        ),
        (
            '{"apiVersion":"v2","kind":"Pod"}',
            ("v1", "Pod"),
            'Pod in version "v2" cannot be handled as a Pod: no kind "Pod" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
        ),
        (
            '{"apiVersion":"foo/","kind":"Pod"}',
            ("v1", "Pod"),
            'Pod in version "" cannot be handled as a Pod: Object \'apiVersion\' is missing in \'{"apiVersion":"foo/","kind":"Pod"}\'',
        ),
        (
            '{"apiVersion":"autoscaling/v1","kind":"HorizontalPodAutoscaler"}',
            ("autoscaling/v2", "HorizontalPodAutoscaler"),
            "the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)",
        ),
        (
            '{"apiVersion":"v1","kind":"Pod"}',
            ("events.k8s.io/v1", "Event"),
            'Pod in version "v1" cannot be handled as a Event: converting (v1.Pod) to (core.Event): unknown conversion',
        ),
    ],
)
def test_another_kind(body: str, endpoint: tuple[str, str], message: str) -> None:
    assert error(body.encode(), *endpoint).bad_request(endpoint[1]) == message


def test_a_wrong_kind_says_what_it_is() -> None:
    found = error(b'{"kind":"Service","apiVersion":"v1"}')
    assert isinstance(found, WrongKind)
    assert (found.api_version, found.kind) == ("v1", "Service")


def test_an_apiversion_may_be_spelled_in_more_than_one_way() -> None:
    for spelled in ("", "/", "/v1", "v1"):
        assert POD.read(json.dumps({"apiVersion": spelled}).encode(), strict=True).problems == ()
    assert DEPLOYMENT.read(b'{"apiVersion":"apps/"}', strict=True).obj["apiVersion"] == "apps/"


def test_options_belong_to_every_version() -> None:
    options = wire_type("apps/v1", "DeleteOptions")
    body = b'{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"dryRun":[]}'
    assert options.read(body, strict=True).obj == {
        "kind": "DeleteOptions",
        "apiVersion": "v1",
        "gracePeriodSeconds": 0,
    }


def test_bodies_that_are_no_objects_of_their_own() -> None:
    for api_version, kind in [
        ("autoscaling/v1", "Scale"),
        ("v1", "Binding"),
        ("policy/v1", "Eviction"),
        ("authentication.k8s.io/v1", "TokenRequest"),
        ("authorization.k8s.io/v1", "SubjectAccessReview"),
    ]:
        assert wire_type(api_version, kind).read(b"{}", strict=True).problems == ()


def test_unknown_kinds() -> None:
    with pytest.raises(KeyError):
        wire_type("v1", "Widget")
    with pytest.raises(KeyError):
        wire_type("example.com/v1", "Pod")


def test_objects_that_are_decoded_already() -> None:
    sent = {"spec": {"replicas": 2.0, "foo": 1, "strategy": {"rollingUpdate": {"maxSurge": "1"}}}}
    found = DEPLOYMENT.read_object(sent, strict=True)
    assert found.obj["spec"]["replicas"] == 2
    assert found.problems == ('unknown field "spec.foo"',)
    assert sent["spec"]["foo"] == 1
    limits = {"cpu": 1.5, "memory": True}
    with pytest.raises(WireError, match="quantities must match"):
        POD.read_object({"spec": {"overhead": limits}}, strict=True)
    assert POD.read_object({"spec": {"overhead": {"cpu": 1.5}}}, strict=True).obj["spec"]["overhead"] == {
        "cpu": "1500m"
    }


def test_text_that_is_no_utf8() -> None:
    body = b'{"data":{"a":"b\xff\xe2\x82c\\ud800","\xff":"\\ud83d\\ude00"}}'
    found = wire_type("v1", "ConfigMap").read(body, strict=True).obj
    assert found["data"] == {"a": "b\ufffd\ufffd\ufffdc\ufffd", "\ufffd": "\U0001f600"}


@pytest.mark.parametrize(
    "body",
    [
        b'{"metadata":{"managedFields":[{"fieldsV1":' + b"[" * 5000 + b"]" * 5000 + b"}]}}",
        b'{"spec":' + b'{"a":' * 300 + b"1" + b"}" * 301,
        b"[" * 100_000,
    ],
)
def test_depth_is_bounded(body: bytes) -> None:
    assert str(error(body)).endswith("the JSON nests deeper than 200 levels")


def test_deep_objects_are_refused_in_a_sentence() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = {"a": deep}
    with pytest.raises(WireError, match="nests too deep"):
        POD.read_object({"metadata": {"managedFields": [{"fieldsV1": deep}]}}, strict=True)


def test_an_empty_list_of_managers_stays_where_it_means_something() -> None:
    body = {
        "apiVersion": "v1",
        "kind": "PodTemplate",
        "metadata": {"managedFields": []},
        "template": {"metadata": {"managedFields": []}, "spec": {}},
    }
    data = json.dumps(body).encode()
    odd = data[:-1] + b',"unknown":1}'
    managed = wire_type("v1", "PodTemplate", managed=True)
    for found in (
        managed.read(data, strict=True).obj,
        managed.read(odd, strict=True).obj,
        managed.read_object(body, strict=True).obj,
    ):
        assert found["metadata"] == {"managedFields": []}
        assert found["template"]["metadata"] == {}
    assert wire_type("v1", "PodTemplate").read(data, strict=True).obj["metadata"] == {}
    nothing = managed.read(data.replace(b"[]", b"null"), strict=True).obj
    assert nothing["metadata"] == {}
