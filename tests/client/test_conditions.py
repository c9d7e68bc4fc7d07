"""Conditions, met as `kubectl wait` has it, and the words for those that were not."""

from __future__ import annotations

from typing import Any

import pytest

from kubewright.client.conditions import Wanted, read_condition
from kubewright.machinery.errors import ParseError
from kubewright.machinery.unstructured import Unstructured
from kubewright.models.core_v1 import Pod


def widget(status: Any = None, **metadata: Any) -> Unstructured:
    meta = {"name": "w", "resourceVersion": "7", **metadata}
    made = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": meta}
    return Unstructured.from_dict(made if status is None else {**made, "status": status})


def ready(status: str = "True", **fields: Any) -> dict[str, Any]:
    return {
        "conditions": [{"type": "Other", "status": "True"}, {"type": "Ready", "status": status, **fields}]
    }


def wanted(condition: str) -> Wanted[Unstructured]:
    return read_condition(condition)


@pytest.mark.parametrize(
    ("condition", "obj", "met"),
    [
        ("Ready", widget(ready()), True),
        ("Ready", widget(ready("False")), False),
        ("Ready", widget(ready("Unknown")), False),
        ("ready", widget(ready("true")), True),
        ("Ready=False", widget(ready("False")), True),
        (" Ready = false ", widget(ready("False")), True),
        ("Ready=Unknown", widget(ready("Unknown")), True),
        ("Ready=False", widget(ready()), False),
        ("Missing", widget(ready()), False),
        ("Ready", widget(), False),
        ("Ready", widget({"conditions": None}), False),
        ("Ready", widget({"conditions": "none"}), False),
        ("Ready", widget("fine"), False),
        ("Ready", widget({**ready(), "observedGeneration": 2}, generation=2), True),
        ("Ready", widget({**ready(), "observedGeneration": 1}, generation=2), False),
        ("Ready", widget(ready(observedGeneration=1), generation=2), False),
        ("Ready", widget({**ready(observedGeneration=2), "observedGeneration": 1}, generation=2), True),
        ("Ready", widget({**ready(), "observedGeneration": 1}), True),
        ("deleted", widget(ready()), False),
    ],
)
def test_met(condition: str, obj: Unstructured, met: bool) -> None:
    assert wanted(condition).met(obj) is met


def test_of_a_typed_object() -> None:
    pod = Pod.from_dict(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "a", "labels": {"a": "b"}},
            "status": {"conditions": [{"type": "Ready", "status": "True"}], "phase": "Running"},
        }
    )
    by_name: Wanted[Pod] = read_condition("Ready")
    assert by_name.met(pod)
    assert read_condition(lambda found: found.status.phase == "Running").met(pod)
    assert not read_condition(lambda found: found.status.phase == "Failed").met(pod)


@pytest.mark.parametrize(
    ("condition", "obj", "words"),
    [
        ("Ready", None, "it does not exist"),
        ("Ready", widget(), "it has no condition Ready, at resourceVersion 7"),
        ("X", widget(ready()), "it has no condition X, only Other, Ready, at resourceVersion 7"),
        ("ready", widget(ready("False")), "its condition Ready was False"),
        (
            "Ready",
            widget(ready("False", reason="Slow", message="still pulling")),
            "its condition Ready was False (Slow: still pulling)",
        ),
        (
            "Ready",
            widget({**ready(), "observedGeneration": 1}, generation=2),
            "its condition Ready was True, but of generation 1 of 2",
        ),
        ("deleted", widget(), "it is still there, and nobody has deleted it"),
        ("deleted", widget(deletionTimestamp="2026-01-01T00:00:00Z"), "it is being deleted"),
        (
            "deleted",
            widget(deletionTimestamp="2026-01-01T00:00:00Z", finalizers=["a.io/b", "c.io/d"]),
            "it is being deleted, and its finalizers are a.io/b, c.io/d",
        ),
    ],
)
def test_shortfall(condition: str, obj: Unstructured | None, words: str) -> None:
    assert wanted(condition).shortfall(obj) == words


@pytest.mark.parametrize("text", ["", "=", "=True", "Ready=", "  "])
def test_what_is_no_condition(text: str) -> None:
    with pytest.raises(ParseError, match="is no condition to wait for; write 'Ready', 'Ready=False'"):
        read_condition(text)


@pytest.mark.parametrize("text", ["Ready", "Ready=False", "deleted"])
def test_they_print_as_written(text: str) -> None:
    assert str(wanted(text)) == text


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("condition=Ready", "'Ready'"),
        ("condition=Ready=False", "'Ready=False'"),
        ("delete", "'deleted'"),
        ("create", "lambda obj: True"),
        ("jsonpath={.status.phase}=Running", "a function of the object"),
    ],
)
def test_words_of_kubectl_are_no_conditions(text: str, remedy: str) -> None:
    with pytest.raises(ParseError, match=f"is how kubectl wait is told; write {remedy}"):
        wanted(text)
