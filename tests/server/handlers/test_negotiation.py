"""Accept and Content-Type headers: which form is chosen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubewright.server.handlers.negotiation import (
    JSON,
    PROTOBUF,
    YAML,
    Output,
    input_media,
    names_known_media,
    negotiate,
)

TABLE = "as=Table;v=v1;g=meta.k8s.io"
KUBECTL = f"{JSON};{TABLE},{JSON};as=Table;v=v1beta1;g=meta.k8s.io,{JSON}"


@pytest.mark.parametrize(
    ("accept", "output"),
    [
        ("", Output("json")),
        ("  ", Output("json")),
        ("*/*", Output("json")),
        (JSON, Output("json")),
        ("Application/JSON", Output("json")),
        (YAML, Output("yaml")),
        (PROTOBUF, Output("protobuf")),
        # The first of equals, but JSON, in which objects are stored, before protobuf.
        (f"{YAML},{JSON}", Output("yaml")),
        (f"{PROTOBUF},{JSON}", Output("json")),
        (f"{PROTOBUF},{YAML}", Output("protobuf")),
        (f"{JSON};q=0.1,{YAML};q=0.9", Output("yaml")),
        (f"{JSON};q=nothing,{YAML};q=0.9", Output("json")),
        (f"{JSON};q=0", Output("json")),
        (f"text/html,{JSON}", Output("json")),
        (KUBECTL, Output("json", "Table", "v1")),
        (f"{JSON};as=Table;v=v1beta1;g=meta.k8s.io", Output("json", "Table", "v1beta1")),
        (
            f"{JSON};as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
            Output("json", "PartialObjectMetadata", "v1"),
        ),
        # Nobody makes a table of protobuf, so the next best is taken.
        (f"{PROTOBUF};{TABLE},{JSON}", Output("json")),
        # A transform is asked for: JSON without it is no replacement for protobuf with it.
        (
            f"{PROTOBUF};as=PartialObjectMetadata;v=v1;g=meta.k8s.io,{JSON}",
            Output("protobuf", "PartialObjectMetadata", "v1"),
        ),
        (f"{JSON};stream=watch", Output("json", stream=True)),
        (f"{JSON};pretty=1", Output("json", pretty=True)),
        (f"{JSON};pretty=0", Output("json")),
        (f" {JSON} ; AS=Table ; V=v1 ; G=meta.k8s.io ", Output("json", "Table", "v1")),
    ],
)
def test_what_is_chosen(accept: str, output: Output) -> None:
    assert negotiate(accept, protobuf=True) == output


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "application/*",
        f"{JSON};as=Table",
        f"{JSON};as=Table;v=v2;g=meta.k8s.io",
        f"{JSON};as=Table;v=v1;g=example.com",
        f"{JSON};as=Chair;v=v1;g=meta.k8s.io",
        f"{JSON};stream=other",
        ",",
    ],
)
def test_what_cannot_be_made(accept: str) -> None:
    assert negotiate(accept, protobuf=True) is None


def test_custom_resources_have_no_protobuf() -> None:
    assert negotiate(PROTOBUF, protobuf=False) is None
    assert negotiate(f"{PROTOBUF},{JSON}", protobuf=False) == Output("json")


def test_some_answers_are_only_themselves() -> None:
    assert negotiate(f"{JSON};{TABLE}", protobuf=True, transforms=False) is None
    assert negotiate(KUBECTL, protobuf=True, transforms=False) == Output("json")


def test_whether_a_form_is_known_at_all() -> None:
    assert names_known_media(f"{JSON};as=Chair;v=v1;g=x")
    assert names_known_media("")
    assert not names_known_media("text/html, image/png")


@pytest.mark.parametrize(
    ("content_type", "media"),
    [
        ("", "json"),
        (JSON, "json"),
        (f"{JSON}; charset=utf-8", "json"),
        ("APPLICATION/YAML", "yaml"),
        (PROTOBUF, "protobuf"),
        ("text/plain", None),
        (";", None),
    ],
)
def test_forms_of_bodies(content_type: str, media: str | None) -> None:
    assert input_media(content_type) == media


@given(st.text(max_size=60) | st.text("applicton/jsyvd.kubets;=,* q019", max_size=60))
def test_no_header_is_too_strange(header: str) -> None:
    for protobuf in (True, False):
        output = negotiate(header, protobuf=protobuf)
        if output is not None:
            assert output.media in {"json", "yaml", *(["protobuf"] if protobuf else [])}
            assert names_known_media(header)
    input_media(header)


def test_long_headers_are_cut() -> None:
    assert negotiate("text/html," * 1000 + JSON, protobuf=True) is None
