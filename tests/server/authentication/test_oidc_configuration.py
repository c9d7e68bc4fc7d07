"""What an authentication configuration may say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kubewright.machinery import yaml
from kubewright.server.authentication.oidc import ConfigurationInvalid, read_configuration

OWN = "https://own.example"


def whole(jwt: object = None, **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "AuthenticationConfiguration",
        **({} if jwt is None else {"jwt": [jwt]}),
        **more,
    }


def entry(**changes: Any) -> dict[str, Any]:
    """An issuer's entry; a dict changes what is in the part of its name, anything else the part itself."""
    made: dict[str, Any] = {
        "issuer": {"url": "https://issuer.example", "audiences": ["kube"]},
        "claimMappings": {"username": {"claim": "sub", "prefix": ""}},
    }
    for name, change in changes.items():
        made[name] = {**made.get(name, {}), **change} if isinstance(change, dict) else change
    return made


def problem(configuration: object) -> str:
    with pytest.raises(ConfigurationInvalid) as caught:
        read_configuration(configuration, own_issuer=OWN)  # type: ignore[arg-type]
    told = str(caught.value)
    start = "the authentication configuration is invalid: "
    assert told.startswith(start)
    return told.removeprefix(start)


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1alpha1"])
def test_versions(version: str) -> None:
    made = read_configuration(
        {**whole(entry()), "apiVersion": f"apiserver.config.k8s.io/{version}"}, own_issuer=OWN
    )
    assert [each.form.url for each in made.issuers] == ["https://issuer.example"]
    assert made.anonymous is None


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "authentication.yaml"
    path.write_text(
        yaml.dump(whole(entry(), anonymous={"enabled": True, "conditions": [{"path": "/livez"}]}))
    )
    made = read_configuration(path, own_issuer=OWN)
    assert made.anonymous is not None
    assert made.anonymous.user("/livez") is not None
    assert made.anonymous.user("/livez/") is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [", "is no YAML"),
        ("", "is no YAML"),
        ("[]", "is invalid: Expected `object`"),
        (
            "kind: X\napiVersion: v1\n",
            "must be of apiserver.config.k8s.io/v1, kind AuthenticationConfiguration",
        ),
        (json.dumps(whole(entry(), typo=1)), "is invalid: Object contains unknown field `typo`"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "authentication.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationInvalid) as caught:
        read_configuration(path, own_issuer=OWN)
    assert f"the authentication configuration {path} {why}" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationInvalid, match="cannot be read: No such file"):
        read_configuration(tmp_path / "none", own_issuer=OWN)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"issuer": {"url": ""}}, "jwt[0].issuer.url: Required value"),
        (
            {"issuer": {"url": "http://x"}},
            'jwt[0].issuer.url: Invalid value: "http://x": URL scheme must be https',
        ),
        ({"issuer": {"url": "https://u:p@x"}}, "URL must not contain a username or password"),
        ({"issuer": {"url": "https://x?y=1"}}, "URL must not contain a query"),
        ({"issuer": {"url": "https://x#y"}}, "URL must not contain a fragment"),
        ({"issuer": {"url": OWN}}, f"URL must not overlap with disallowed issuers: [{OWN}]"),
        ({"issuer": {"discoveryURL": "https://issuer.example/"}}, "discoveryURL must be different from URL"),
        ({"issuer": {"audiences": []}}, "jwt[0].issuer.audiences: Required value"),
        ({"issuer": {"audiences": [""]}}, "jwt[0].issuer.audiences[0]: Required value"),
        (
            {"issuer": {"audiences": ["a", "a"], "audienceMatchPolicy": "MatchAny"}},
            'jwt[0].issuer.audiences[1]: Duplicate value: "a"',
        ),
        (
            {"issuer": {"audiences": ["a", "b"]}},
            "audienceMatchPolicy must be MatchAny for multiple audiences",
        ),
        (
            {"issuer": {"audienceMatchPolicy": "MatchAll"}},
            "audienceMatchPolicy must be empty or MatchAny for single audience",
        ),
        (
            {"issuer": {"certificateAuthority": "x"}},
            'jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>"',
        ),
        ({"issuer": {"egressSelectorType": "cluster"}}, "this server has no egress selectors"),
        ({"claimMappings": {"username": {}}}, "jwt[0].claimMappings.username: Required value"),
        ({"claimMappings": {"username": {"claim": "sub"}}}, "prefix is required when claim is set"),
        (
            {"claimMappings": {"username": {"claim": "sub", "expression": "claims.sub"}}},
            "claim and expression can't both be set",
        ),
        (
            {"claimMappings": {"username": {"expression": "claims.sub", "prefix": ""}}},
            "jwt[0].claimMappings.username.prefix: Invalid value",
        ),
        ({"claimMappings": {"username": {"expression": "claims."}}}, "compilation failed"),
        ({"claimMappings": {"username": {"expression": "user.name"}}}, "undeclared reference"),
        (
            {"claimMappings": {"username": {"expression": "claims.email"}}},
            "claims.email_verified must be used in claimMappings.username.expression",
        ),
        ({"claimMappings": {"uid": {"claim": "a", "expression": "claims.a"}}}, "can't both be set"),
        (
            {"claimMappings": {"extra": [{"key": "x", "valueExpression": "'a'"}]}},
            "must be a domain-prefixed path",
        ),
        ({"claimMappings": {"extra": [{"key": "a.io/X", "valueExpression": "'a'"}]}}, "must be lowercase"),
        ({"claimMappings": {"extra": [{"key": "x.k8s.io/x", "valueExpression": "'a'"}]}}, "are reserved"),
        ({"claimMappings": {"extra": [{"key": "a.io/x"}]}}, "extra[0].valueExpression: Required value"),
        ({"claimMappings": {"extra": [{"key": "a.io/x", "valueExpression": "'a'"}] * 2}}, "Duplicate value"),
        ({"claimValidationRules": [{}]}, "claim or expression is required"),
        (
            {"claimValidationRules": [{"claim": "a", "message": "m"}]},
            "may not be specified when claim is set",
        ),
        (
            {"claimValidationRules": [{"expression": "true", "requiredValue": "m"}]},
            "may not be specified when expression is set",
        ),
        ({"claimValidationRules": [{"expression": "claims.a"}]}, "must evaluate to bool"),
        ({"claimValidationRules": [{"claim": "a"}] * 2}, "Duplicate value"),
        ({"userValidationRules": [{}]}, "jwt[0].userValidationRules[0].expression: Required value"),
        ({"userValidationRules": [{"expression": "1"}]}, "must evaluate to bool"),
        ({"userValidationRules": [{"expression": "user.name == 'x'"}]}, "undefined field 'name'"),
        ({"userValidationRules": [{"expression": "true"}] * 2}, "Duplicate value"),
    ],
)
def test_mistakes(changes: dict[str, Any], why: str) -> None:
    assert why in problem(whole(entry(**changes)))


def test_email_with_its_verification() -> None:
    for changes in (
        {
            "claimMappings": {
                "username": {"expression": "claims.?email_verified.orValue(false) ? claims.email : ''"}
            }
        },
        {
            "claimMappings": {"username": {"expression": "claims.email"}},
            "claimValidationRules": [{"expression": "claims.email_verified == true"}],
        },
    ):
        assert read_configuration(whole(entry(**changes)), own_issuer=OWN).issuers


def test_several() -> None:
    assert "jwt[1].issuer.url: Duplicate value" in problem(whole(jwt=None) | {"jwt": [entry(), entry()]})
    assert "jwt: Too many: 65: must have at most 64 items" in problem(whole() | {"jwt": [entry()] * 65})


def test_conditions_of_nobody() -> None:
    told = problem(whole(anonymous={"enabled": False, "conditions": [{"path": "/"}]}))
    assert "enabled should be set to true when conditions are defined" in told
