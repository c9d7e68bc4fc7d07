"""`format.named()` and the formats that have a function of their own: `format.dns1123Label()` and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from kubewright.crd.cel.functions.function import Function, ceil_tenths
from kubewright.crd.cel.values import NONE, Optional, no_such_overload, size_of
from kubewright.machinery.names import (
    is_qualified_name,
    is_valid_label_value,
    name_is_dns1035_label,
    name_is_dns_label,
    name_is_dns_subdomain,
)

__all__ = ["FORMATS", "FUNCTIONS", "Format"]


class Format(NamedTuple):
    """The value of `format.named()`."""

    name: str
    validate: Callable[[str], Sequence[str]]
    regex_size: int
    """How long a pattern upstream takes the check for, which its cost follows from."""

    @property
    def cel_type(self) -> str:
        return "kubernetes.NamedFormat"


def _uri(text: str) -> Sequence[str]:
    from kubewright.crd.go_urls import is_request_uri, parse_url  # noqa: PLC0415 - few expressions ask
    from kubewright.machinery.errors import ParseError  # noqa: PLC0415
    from kubewright.machinery.field_errors import go_quote  # noqa: PLC0415

    if is_request_uri(text):
        return ()
    try:
        parse_url(text)
    except ParseError as error:
        return (str(error),)
    return (f"parse {go_quote(text)}: {'invalid URI for request' if text else 'empty url'}",)


def _schema_format(name: str, message: str) -> Callable[[str], Sequence[str]]:
    def validate(text: str) -> Sequence[str]:
        from kubewright.crd.formats import format_check  # noqa: PLC0415 - few expressions ask

        check = format_check(name)
        return () if check is None or check(text) else (message,)

    return validate


# The sizes are those of upstream's library/format.go and of the patterns it names.
FORMATS: Final[Mapping[str, Format]] = {
    "dns1123Label": Format("DNS1123Label", name_is_dns_label, 30),
    "dns1123Subdomain": Format("DNS1123Subdomain", name_is_dns_subdomain, 60),
    "dns1035Label": Format("DNS1035Label", name_is_dns1035_label, 30),
    "qualifiedName": Format("QualifiedName", is_qualified_name, 60),
    "dns1123LabelPrefix": Format("DNS1123LabelPrefix", lambda s: name_is_dns_label(s, prefix=True), 30),
    "dns1123SubdomainPrefix": Format(
        "DNS1123SubdomainPrefix", lambda s: name_is_dns_subdomain(s, prefix=True), 60
    ),
    "dns1035LabelPrefix": Format("DNS1035LabelPrefix", lambda s: name_is_dns1035_label(s, prefix=True), 30),
    "labelValue": Format("LabelValue", is_valid_label_value, 40),
    "uri": Format("URI", _uri, 1103),
    "uuid": Format("uuid", _schema_format("uuid", "does not match the UUID format"), 84),
    "byte": Format("byte", _schema_format("byte", "invalid base64"), 84),
    "date": Format("date", _schema_format("date", "invalid date"), 66),
    "datetime": Format("datetime", _schema_format("datetime", "invalid datetime"), 66),
}


def _named(name: object) -> Optional:
    if not isinstance(name, str):
        raise no_such_overload("format.named", name)
    found = FORMATS.get(name)
    return NONE if found is None else Optional(True, found)


def _validate(form: object, text: object) -> Optional:
    if not isinstance(form, Format) or not isinstance(text, str):
        raise no_such_overload("validate", form, text)
    wrong = form.validate(text)
    return Optional(True, list(wrong)) if wrong else NONE


def _validate_cost(args: Sequence[object], _result: object) -> int:
    form = args[0]
    size = form.regex_size if isinstance(form, Format) else 0
    return ceil_tenths(1 + size_of(args[1])) * -(-size // 4)


def _constant(form: Format) -> Callable[[], Format]:
    return lambda: form


FUNCTIONS: Final[Mapping[str, Function]] = {
    "validate": Function(_validate, _validate_cost),
    "format.named": Function(_named),
    **{f"format.{name}": Function(_constant(form)) for name, form in FORMATS.items()},
}
