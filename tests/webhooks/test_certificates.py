"""Certificates that a webhook server makes for itself."""

from __future__ import annotations

import ipaddress
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509

from kubewright.webhooks.certificates import CertificateError, make_certificate

NOW = datetime(2026, 5, 6, 7, 8, 9, tzinfo=UTC)


def test_names_and_addresses() -> None:
    made = x509.load_pem_x509_certificate(
        make_certificate(["app.default.svc", "*.example.com", "10.0.0.1", "::1"]).certificate
    )
    names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["app.default.svc", "*.example.com"]
    assert names.get_values_for_type(x509.IPAddress) == [
        ipaddress.ip_address("10.0.0.1"),
        ipaddress.ip_address("::1"),
    ]


def test_the_time_is_the_caller_s() -> None:
    made = make_certificate(["a"], now=NOW)
    for pem in (made.certificate, made.authority):
        certificate = x509.load_pem_x509_certificate(pem)
        # Clocks differ.
        assert NOW - timedelta(hours=2) < certificate.not_valid_before_utc < NOW - timedelta(minutes=5)
        assert certificate.not_valid_after_utc > NOW + timedelta(days=300)


def test_the_authority_signs_servers_only() -> None:
    made = make_certificate(["a"])
    leaf, authority = (x509.load_pem_x509_certificate(pem) for pem in (made.certificate, made.authority))
    leaf.verify_directly_issued_by(authority)
    constraints = [
        each.extensions.get_extension_for_class(x509.BasicConstraints).value for each in (authority, leaf)
    ]
    assert [(each.ca, each.path_length) for each in constraints] == [(True, 0), (False, None)]
    usage = leaf.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert [each._name for each in usage] == ["serverAuth"]
    # Each server has its own.
    assert make_certificate(["a"]).authority != made.authority


@pytest.mark.parametrize("name", ["", "a b", "a/b", "a..b", "https://a", "a:443", "-_-"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(CertificateError, match="is no host name and no address; write app"):
        make_certificate([name])


def test_a_name_that_is_not_ascii() -> None:
    with pytest.raises(CertificateError, match="is not in ASCII; write the name as DNS has it"):
        make_certificate(["ä.example.com"])
