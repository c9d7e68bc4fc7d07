"""Checks of names and paths within objects, which append what is wrong to a list.

Pods have dozens of them, so the good case takes one look.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from typing import Final

from kubewright.machinery.field_errors import FieldError, invalid, not_supported, required
from kubewright.machinery.names import (
    is_dns1123_label,
    is_dns1123_subdomain,
    is_qualified_name,
    is_valid_port_name,
)
from kubewright.server.kinds.kind import Errors

__all__ = [
    "check_dns_label",
    "check_dns_subdomain",
    "check_file_mode",
    "check_local_path",
    "check_no_backsteps",
    "check_one_of",
    "check_port",
    "check_qualified_name",
    "check_relative_path",
    "is_good_label",
    "is_good_path",
    "is_good_subdomain",
    "unsupported",
]

is_good_label: Final = re.compile("[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?").fullmatch
"""Matches a name that is one label of a domain name; saves making a path where nothing is wrong."""

is_good_path: Final = re.compile(r"(?!/)[^.]*(?:\.(?!\.)[^.]*)*").fullmatch
"""Matches a relative path without two dots in a row, with which nothing can be wrong."""

_IS_KEY: Final = re.compile(
    r"(?:(?=[^/]{1,253}/)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*/)?"
    "[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
).fullmatch

_PORT_RANGE: Final = "must be between 1 and 65535, inclusive"
_FILE_MODE: Final = "must be a number between 0 and 0777 (octal), both inclusive"


def check_dns_label(errors: Errors, value: str, path: str) -> None:
    """A name that must be one label of a domain name."""
    if is_good_label(value) is None:
        errors.extend([invalid(path, value, message) for message in is_dns1123_label(value)])


def is_good_subdomain(value: str) -> bool:
    """Whether a name is labels with dots between."""
    return is_good_label(value) is not None or not is_dns1123_subdomain(value)


def check_dns_subdomain(errors: Errors, value: str, path: str) -> None:
    """A name that must be labels with dots between."""
    if is_good_label(value) is None:
        errors.extend([invalid(path, value, message) for message in is_dns1123_subdomain(value)])


def check_qualified_name(errors: Errors, value: str, path: str) -> None:
    """A key such as labels have."""
    if _IS_KEY(value) is None:
        errors.extend([invalid(path, value, message) for message in is_qualified_name(value)])


def check_relative_path(errors: Errors, value: str, path: str) -> None:
    """A path within a directory: not absolute, and with no step out of it."""
    if value.startswith("/"):
        errors.append(invalid(path, value, "must be a relative path"))
    check_no_backsteps(errors, value, path)


def check_no_backsteps(errors: Errors, value: str, path: str) -> None:
    """A path without `..`."""
    if ".." in value and ".." in value.split("/"):
        errors.append(invalid(path, value, "must not contain '..'"))


def check_local_path(errors: Errors, value: str, path: str) -> None:
    """The path of a file in a volume: relative, and not named as the kubelet names its own."""
    check_relative_path(errors, value, path)
    if value.startswith("..") and not value.startswith("../"):
        errors.append(invalid(path, value, "must not start with '..'"))


def check_file_mode(errors: Errors, mode: int | None, path: str) -> None:
    """Permission bits, if given."""
    if mode is not None and not 0 <= mode <= 0o777:
        errors.append(invalid(path, mode, _FILE_MODE))


def check_port(errors: Errors, port: int | str, path: str) -> None:
    """A port by number, or by the name that a container gives it."""
    if isinstance(port, str):
        errors.extend([invalid(path, port, message) for message in is_valid_port_name(port)])
    elif not 1 <= port <= 65535:
        errors.append(invalid(path, port, _PORT_RANGE))


def check_one_of(errors: Errors, value: str, known: Collection[str], path: str) -> None:
    """A value of a set of which one is required; the set is told in its order."""
    if not value:
        errors.append(required(path))
    elif value not in known:
        errors.append(unsupported(path, value, known))


def unsupported(path: str, value: str, known: Iterable[str]) -> FieldError:
    """A value of an enumeration that it does not have; upstream shows values of such types as JSON."""
    if value.isascii() and value.isprintable() and not any(char in value for char in '<>&"\\'):
        return not_supported(path, value, known)
    shown = json.dumps(value, ensure_ascii=False)
    # What Go's encoder escapes besides, because it may stand in HTML or JavaScript.
    for char in "<>&\u2028\u2029":
        shown = shown.replace(char, f"\\u{ord(char):04x}")
    detail = not_supported(path, "", known).message.removeprefix('Unsupported value: ""')
    return FieldError("FieldValueNotSupported", path, f"Unsupported value: {shown}{detail}")
