"""What names, labels and keys may look like, said in the words of the API server.

Each function gives the list of what is wrong with a value; an empty list means that it is valid. The phrases
and regular expressions are those that a real API server puts into the `Status` it answers with: they are wire
format, and the differential tests hold them to it. Lengths count bytes of UTF-8, as there.
"""

from __future__ import annotations

import re
from random import Random
from typing import Final, NamedTuple

__all__ = [
    "DNS1035_LABEL_MAX_LENGTH",
    "DNS1123_LABEL_MAX_LENGTH",
    "DNS1123_SUBDOMAIN_MAX_LENGTH",
    "LABEL_VALUE_MAX_LENGTH",
    "MAX_GENERATED_NAME_LENGTH",
    "generate_name",
    "is_c_identifier",
    "is_config_map_key",
    "is_dns1035_label",
    "is_dns1123_label",
    "is_dns1123_subdomain",
    "is_dns1123_subdomain_caseless",
    "is_dns1123_subdomain_with_underscore",
    "is_env_var_name",
    "is_http_header_name",
    "is_in_range",
    "is_path_segment_name",
    "is_path_segment_prefix",
    "is_qualified_name",
    "is_relaxed_env_var_name",
    "is_valid_group_id",
    "is_valid_label_value",
    "is_valid_percent",
    "is_valid_port_name",
    "is_valid_port_num",
    "is_valid_user_id",
    "is_wildcard_dns1123_subdomain",
    "name_is_dns1035_label",
    "name_is_dns_label",
    "name_is_dns_subdomain",
]

DNS1123_LABEL_MAX_LENGTH: Final = 63
"""RFC 1123 (by way of RFC 1035, 2.3.4) allows a label 63 octets."""

DNS1123_SUBDOMAIN_MAX_LENGTH: Final = 253
"""RFC 1123, 2.1: a host name of up to 255 octets, of which two are not text."""

DNS1035_LABEL_MAX_LENGTH: Final = 63
"""RFC 1035, 2.3.4."""

LABEL_VALUE_MAX_LENGTH: Final = 63
"""Upstream's content.LabelValueMaxLength; the name part of a key has the same limit."""

_PORT_NAME_MAX_LENGTH: Final = 15  # RFC 6335, 5.1
_PORT_MAX: Final = 65535
_ID_MAX: Final = 2**31 - 1  # libcontainer's limit of user and group ids

_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_LABEL_UNDERSCORE: Final = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_QUALIFIED: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"


class _Format(NamedTuple):
    regex: re.Pattern[str]
    message: str

    def wrong(self, value: str) -> list[str]:
        # Not `$` at the end of the expression: that would let a trailing newline pass.
        return [] if self.regex.fullmatch(value) is not None else [self.message]


def _format(rule: str, regex: str, *examples: str) -> _Format:
    given = " or ".join(f"'{example}', " for example in examples)
    return _Format(re.compile(regex), f"{rule} (e.g. {given}regex used for validation is '{regex}')")


_DNS1123_LABEL: Final = _format(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character",
    _LABEL,
    "my-name",
    "123-abc",
)
_DNS1123_SUBDOMAIN: Final = _format(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character",
    _SUBDOMAIN,
    "example.com",
)
_DNS1123_SUBDOMAIN_CASELESS: Final = _format(
    "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character",
    _SUBDOMAIN,
    "Example.com",
)._replace(
    # The message shows the expression without its flag for case. Go folds these two characters into s and k;
    # Python's own flag would let dotless and dotted i pass as well.
    regex=re.compile(_SUBDOMAIN.replace("a-z", "A-Za-z\u017f\u212a"))
)
_DNS1123_SUBDOMAIN_UNDERSCORE: Final = _format(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', "
    "and must start and end with an alphanumeric character",
    rf"{_LABEL_UNDERSCORE}(\.{_LABEL_UNDERSCORE})*",
    "example.com",
)
_WILDCARD_DNS1123_SUBDOMAIN: Final = _format(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "
    "which must consist of lower case alphanumeric characters, '-' or '.' "
    "and end with an alphanumeric character",
    rf"\*\.{_SUBDOMAIN}",
    "*.example.com",
)
_DNS1035_LABEL: Final = _format(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
    "start with an alphabetic character, and end with an alphanumeric character",
    "[a-z]([-a-z0-9]*[a-z0-9])?",
    "my-name",
    "abc-123",
)
_LABEL_KEY: Final = _format(
    "must consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character",
    _QUALIFIED,
    "MyName",
    "my.name",
    "123-abc",
)
_LABEL_VALUE: Final = _format(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character",
    f"({_QUALIFIED})?",
    "MyValue",
    "my_value",
    "12345",
)
_C_IDENTIFIER: Final = _format(
    "a valid C identifier must start with alphabetic character or '_', "
    "followed by a string of alphanumeric characters or '_'",
    "[A-Za-z_][A-Za-z0-9_]*",
    "my_name",
    "MY_NAME",
    "MyName",
)
_PERCENT: Final = _format(
    "a valid percent string must be a numeric string followed by an ending '%'", "[0-9]+%", "1%", "93%"
)
_HTTP_HEADER_NAME: Final = _format(
    "a valid HTTP header must consist of alphanumeric characters or '-'", "[-A-Za-z0-9]+", "X-Header-Name"
)
_ENV_VAR_NAME: Final = _format(
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', "
    "and must not start with a digit",
    "[-._a-zA-Z][-._a-zA-Z0-9]*",
    "my.env-name",
    "MY_ENV.NAME",
    "MyEnvName1",
)
_RELAXED_ENV_VAR_NAME: Final = _Format(
    re.compile("[ -<>-~]*"),
    "a valid environment variable name must consist only of printable ASCII characters other than '='",
)
_CONFIG_MAP_KEY: Final = _format(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    "[-._a-zA-Z0-9]+",
    "key.name",
    "KEY_NAME",
    "key-name",
)
_PORT_NAME: Final = _Format(
    re.compile("[-a-z0-9]+"),
    "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
)
_LOWER_LETTER: Final = re.compile("[a-z]")


def is_dns1123_label(value: str) -> list[str]:
    """A label of a domain name: the name of a namespace, for one."""
    wrong = _too_long(value, DNS1123_LABEL_MAX_LENGTH) + _DNS1123_LABEL.wrong(value)
    if wrong and "." in value and not _DNS1123_SUBDOMAIN.wrong(value):
        wrong[-1] = "must not contain dots"
    return wrong


def is_dns1123_subdomain(value: str) -> list[str]:
    """Labels with dots between: the name of most objects."""
    return _too_long(value, DNS1123_SUBDOMAIN_MAX_LENGTH) + _DNS1123_SUBDOMAIN.wrong(value)


def is_dns1123_subdomain_caseless(value: str) -> list[str]:
    """A subdomain in which capitals may stand: the names of CSI drivers."""
    wrong = _too_long(value, DNS1123_SUBDOMAIN_MAX_LENGTH, unit="bytes")
    return wrong + _DNS1123_SUBDOMAIN_CASELESS.wrong(value)


def is_dns1123_subdomain_with_underscore(value: str) -> list[str]:
    """A subdomain in which underscores may stand: the search paths of a pod's DNS config."""
    return _too_long(value, DNS1123_SUBDOMAIN_MAX_LENGTH) + _DNS1123_SUBDOMAIN_UNDERSCORE.wrong(value)


def is_dns1035_label(value: str) -> list[str]:
    """A label that starts with a letter: the plural name of a custom resource."""
    return _too_long(value, DNS1035_LABEL_MAX_LENGTH) + _DNS1035_LABEL.wrong(value)


def is_wildcard_dns1123_subdomain(value: str) -> list[str]:
    """A subdomain behind "*.": the host of an ingress rule."""
    return _too_long(value, DNS1123_SUBDOMAIN_MAX_LENGTH) + _WILDCARD_DNS1123_SUBDOMAIN.wrong(value)


def is_qualified_name(value: str) -> list[str]:
    """The key of a label or annotation, a finalizer, a condition's type: "name" or "domain/name"."""
    prefix, slash, name = value.rpartition("/")
    if _is_label_name(name) and (not slash or not is_dns1123_subdomain(prefix)):
        # Every key of every label is checked: the usual answer comes first.
        return []
    if "/" in prefix:
        rule, example = _LABEL_KEY.message, "(e.g. 'example.com/MyName')"
        return [f"a valid label key {rule} with an optional DNS subdomain prefix and '/' {example}"]
    wrong = []
    if slash and not prefix:
        wrong.append("prefix part must be non-empty")
    elif slash:
        messages = _too_long(prefix, DNS1123_SUBDOMAIN_MAX_LENGTH, unit="bytes")
        wrong += [f"prefix part {message}" for message in messages + _DNS1123_SUBDOMAIN.wrong(prefix)]
    if not name:
        wrong.append("name part must be non-empty")
    messages = _too_long(name, LABEL_VALUE_MAX_LENGTH, unit="bytes")
    return wrong + [f"name part {message}" for message in messages + _LABEL_KEY.wrong(name)]


def is_valid_label_value(value: str) -> list[str]:
    """The value of a label; it may be empty."""
    return _too_long(value, LABEL_VALUE_MAX_LENGTH, unit="bytes") + _LABEL_VALUE.wrong(value)


def is_c_identifier(value: str) -> list[str]:
    """An identifier of the C language, of any length."""
    return _C_IDENTIFIER.wrong(value)


def is_valid_port_num(port: int) -> list[str]:
    """A port that a service or container may have."""
    return is_in_range(port, 1, _PORT_MAX)


def is_in_range(value: int, low: int, high: int) -> list[str]:
    """A number from `low` to `high`, both included."""
    return [] if low <= value <= high else [f"must be between {low} and {high}, inclusive"]


def is_valid_group_id(gid: int) -> list[str]:
    """A Unix group id."""
    return is_in_range(gid, 0, _ID_MAX)


def is_valid_user_id(uid: int) -> list[str]:
    """A Unix user id."""
    return is_in_range(uid, 0, _ID_MAX)


def is_valid_port_name(port: str) -> list[str]:
    """A service name of RFC 6335, in lower case: the name of a container's port."""
    wrong = _too_long(port, _PORT_NAME_MAX_LENGTH) + _PORT_NAME.wrong(port)
    if _LOWER_LETTER.search(port) is None:
        wrong.append("must contain at least one letter (a-z)")
    if "--" in port:
        wrong.append("must not contain consecutive hyphens")
    if port.startswith("-") or port.endswith("-"):
        wrong.append("must not begin or end with a hyphen")
    return wrong


def is_valid_percent(percent: str) -> list[str]:
    """A whole number and "%": maxSurge, maxUnavailable."""
    return _PERCENT.wrong(percent)


def is_http_header_name(value: str) -> list[str]:
    """The name of a header in an HTTP probe."""
    return _HTTP_HEADER_NAME.wrong(value)


def is_env_var_name(value: str) -> list[str]:
    """The name of an environment variable, by the strict rule of old."""
    return _ENV_VAR_NAME.wrong(value) + _dot_names(value)


def is_relaxed_env_var_name(value: str) -> list[str]:
    """The name of an environment variable, by the rule of today: printable ASCII without "="."""
    return _RELAXED_ENV_VAR_NAME.wrong(value) if value else ["environment variable name must be non-empty"]


def is_config_map_key(value: str) -> list[str]:
    """A key in the data of a ConfigMap or Secret, which becomes a file's name."""
    wrong = _too_long(value, DNS1123_SUBDOMAIN_MAX_LENGTH) + _CONFIG_MAP_KEY.wrong(value)
    return wrong + _dot_names(value)


def is_path_segment_name(name: str) -> list[str]:
    """A name that can stand in a request path; the rule of kinds that have no stricter one.

    As upstream, it says nothing of an empty name.
    """
    if name in {".", ".."}:
        return [f"may not be '{name}'"]
    return is_path_segment_prefix(name)


def is_path_segment_prefix(name: str) -> list[str]:
    """The start of such a name."""
    return [f"may not contain '{char}'" for char in "/%" if char in name]


def name_is_dns_subdomain(name: str, *, prefix: bool = False) -> list[str]:
    """The name of most objects, or with `prefix` their generateName, which may end in a dash."""
    return is_dns1123_subdomain(_mask_trailing_dash(name) if prefix else name)


def name_is_dns_label(name: str, *, prefix: bool = False) -> list[str]:
    """The name of a namespace, or with `prefix` its generateName, which may end in a dash."""
    return is_dns1123_label(_mask_trailing_dash(name) if prefix else name)


def name_is_dns1035_label(name: str, *, prefix: bool = False) -> list[str]:
    """A name that starts with a letter, or with `prefix` a generateName, which may end in a dash."""
    return is_dns1035_label(_mask_trailing_dash(name) if prefix else name)


_GENERATED_SUFFIX_LENGTH: Final = 5
_GENERATED_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"  # no vowels, so that no words form

MAX_GENERATED_NAME_LENGTH: Final = 63 - _GENERATED_SUFFIX_LENGTH
"""How much of generateName is kept, so that the name fits into a DNS label; as upstream."""


def generate_name(base: str, random: Random) -> str:
    """A name for an object with generateName: that, cut to 58 bytes, and five random characters."""
    if not base.isascii():
        base = base.encode(errors="replace")[:MAX_GENERATED_NAME_LENGTH].decode(errors="ignore")
    suffix = "".join(random.choices(_GENERATED_ALPHABET, k=_GENERATED_SUFFIX_LENGTH))
    return base[:MAX_GENERATED_NAME_LENGTH] + suffix


def _too_long(value: str, limit: int, *, unit: str = "characters") -> list[str]:
    # Upstream counts bytes whichever word it uses. Lone surrogates count as the three bytes that Go reads.
    length = len(value) if value.isascii() else len(value.encode(errors="surrogatepass"))
    return [f"must be no more than {limit} {unit}"] if length > limit else []


def _is_label_name(name: str) -> bool:
    return len(name) <= LABEL_VALUE_MAX_LENGTH and _LABEL_KEY.regex.fullmatch(name) is not None


def _dot_names(value: str) -> list[str]:
    if value in {".", ".."}:
        return [f"must not be '{value}'"]
    return ["must not start with '..'"] if value.startswith("..") else []


def _mask_trailing_dash(name: str) -> str:
    if len(name) < 2 or not name.endswith("-"):
        return name
    # Upstream replaces the last two bytes; half of a non-ASCII character would remain, and be wrong.
    return name[:-2] + "a" if name.isascii() else name[:-1]
