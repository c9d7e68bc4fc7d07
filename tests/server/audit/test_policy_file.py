"""Audit policies as they are written, and what is said of wrong ones."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from kubewright.machinery.errors import KubewrightError
from kubewright.machinery.paths import parse_request
from kubewright.server.audit.policy import LEVELS
from kubewright.server.audit.policy_file import AuditPolicyInvalid, read_policy

HEAD = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy"}
YAML = """
apiVersion: audit.k8s.io/v1
kind: Policy
metadata: {name: mine}
omitStages: [RequestReceived]
rules:
- level: RequestResponse
  resources:
  - group: ""
    resources: [pods]
- level: None
  nonResourceURLs: ["/healthz*"]
"""


def refused(given: Any) -> str:
    with pytest.raises(AuditPolicyInvalid) as caught:
        read_policy(given)
    assert isinstance(caught.value, KubewrightError)
    return str(caught.value)


def test_a_file(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(YAML)
    for given in (file, str(file)):
        found = read_policy(given).decide(None, parse_request("GET", "/api/v1/pods"))
        assert (LEVELS[found.level], found.omit_stages) == ("RequestResponse", frozenset({"RequestReceived"}))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "none.yaml"
    assert refused(missing) == f"the audit policy {missing} cannot be read: No such file or directory"
    assert refused(tmp_path) == f"the audit policy {tmp_path} cannot be read: Is a directory"
    (tmp_path / "broken.yaml").write_text("{a: [")
    assert "broken.yaml is neither YAML nor JSON: " in refused(tmp_path / "broken.yaml")
    (tmp_path / "empty.yaml").write_text("")
    assert "empty.yaml is neither YAML nor JSON: " in refused(tmp_path / "empty.yaml")
    (tmp_path / "large.yaml").write_bytes(b"#" * (3 * 1024 * 1024 + 1))
    assert "large.yaml is larger than 3145728 bytes" in refused(tmp_path / "large.yaml")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "must have apiVersion: audit.k8s.io/v1 and kind: Policy"),
        ({**HEAD, "apiVersion": "audit.k8s.io/v1beta1"}, "must have apiVersion: audit.k8s.io/v1"),
        ({**HEAD, "kind": "Event"}, "and kind: Policy"),
        (HEAD, "has no rules; with 'rules: [{level: Metadata}]' all is logged"),
        ({**HEAD, "rules": []}, "has no rules"),
        ({**HEAD, "rules": None}, "has no rules"),
        ({**HEAD, "rules": {}}, "is no Policy: Expected `array | null`, got `object` - at `$.rules`"),
        ({**HEAD, "rules": [{"level": 1}]}, "is no Policy: Expected `str | null`, got `int`"),
    ],
)
def test_what_is_no_policy(given: Any, told: str) -> None:
    assert told in refused(given)


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({}, "rules[0].level: Required value"),
        (
            {"level": "Everything"},
            (
                'rules[0].level: Unsupported value: "Everything": supported values: "None", "Metadata", '
                '"Request", "RequestResponse"'
            ),
        ),
        (
            {"omitStages": ["Panic", "Done"]},
            (
                'rules[0].omitStages[1]: Invalid value: "Done": allowed stages are '
                "RequestReceived,ResponseStarted,ResponseComplete,Panic"
            ),
        ),
        (
            {"nonResourceURLs": ["healthz"]},
            (
                'rules[0].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin '
                "with a '/' character"
            ),
        ),
        (
            {"nonResourceURLs": ["/a/*/b"]},
            (
                "rules[0].nonResourceURLs[0]: Invalid value: \"/a/*/b\": non-resource URL wildcards '*' must "
                "be the final character of the rule"
            ),
        ),
        ({"nonResourceURLs": [""]}, "must begin with a '/' character"),
        (
            {"nonResourceURLs": ["/a"], "namespaces": ["x"]},
            (
                'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular '
                "resources and non-resource URLs"
            ),
        ),
        ({"nonResourceURLs": ["/a"], "resources": [{}]}, "rules cannot apply to both"),
        (
            {"resources": [{"group": "apps/v1"}]},
            'rules[0].resources.group: Invalid value: "apps/v1": a lowercase RFC 1123 subdomain must',
        ),
        (
            {"resources": [{"resourceNames": ["x"]}]},
            (
                'rules[0].resources.resourceNames: Invalid value: ["x"]: using resourceNames requires at '
                "least one resource"
            ),
        ),
    ],
)
def test_wrong_rules(rule: dict[str, Any], told: str) -> None:
    level = {} if "level" in told else {"level": "Metadata"}
    message = refused({**HEAD, "rules": [{**level, **rule}]})
    assert told in message
    assert message.startswith("the audit policy is wrong: ")


def test_all_that_is_wrong_is_told() -> None:
    message = refused({**HEAD, "omitStages": ["x"], "rules": [{"level": "None"}, {"level": "y"}]})
    assert 'omitStages[0]: Invalid value: "x"' in message
    assert 'rules[1].level: Unsupported value: "y"' in message


def test_unknown_fields_are_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    rule = {"level": "Metadata", "resource": "pods", "resources": [{"group": "", "names": ["x"]}]}
    with caplog.at_level(logging.WARNING):
        read_policy({**HEAD, "rules": [rule], "rotation": 1})
    assert caplog.messages == [
        (
            "the audit policy has fields that nobody knows, which are left out: rules[0].resource, "
            "rules[0].resources[0].names, rotation"
        )
    ]
