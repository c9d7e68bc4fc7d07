"""The names in a project: what may be one, and which one to take instead."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final

from kubewright.crd.naming import needs_approval
from kubewright.machinery.errors import quoted
from kubewright.machinery.names import (
    DNS1035_LABEL_MAX_LENGTH,
    is_dns1035_label,
    is_dns1123_subdomain,
)
from kubewright.scaffold.errors import WrongName

__all__ = [
    "check_api_group",
    "check_domain",
    "check_group",
    "check_kind",
    "check_package",
    "check_plural",
    "check_project_name",
    "check_version",
    "package_of",
]

_MAX_PROJECT_NAME: Final = DNS1035_LABEL_MAX_LENGTH - len("-controller-manager-metrics-service")
"""The longest object that is named after a project is the Service for metrics; its name is a DNS label."""

_DEPENDENCIES: Final = frozenset(
    {
        "aiohttp", "aiosignal", "attr", "attrs", "click", "cryptography", "frozenlist", "idna", "kubewright",
        "msgspec", "multidict", "prometheus_client", "propcache", "pytest", "uvloop", "yaml", "yarl",
    }
)  # fmt: skip
"""What kubewright and the tests of a project import: a package of that name would be found in their place."""

_PROJECT_FOLDERS: Final = frozenset({"config", "src", "tests"})
"""Folders of a project, which Python takes for packages when it is run there."""

_KIND: Final = re.compile("[A-Z][A-Za-z0-9]*")
_VERSION: Final = re.compile("v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?")
"""Versions that Kubernetes sorts by maturity."""

_TAKEN_KINDS: Final = frozenset(
    {
        "Annotated", "CERTIFICATES", "CONVERTED", "CertificateSecret", "Client", "Condition", "Context",
        "Denied", "EMPTY", "Field", "Final", "Hub", "HubSpec", "HubStatus", "Injection", "Manager",
        "NotFound", "Path", "PrinterColumn", "Request", "Resource", "Result", "Review", "SAMPLE",
        "SAMPLES", "Sequence", "Struct", "WebhookServer",
    }
)  # fmt: skip
"""Names that the modules of a project import or declare, beside the class of a kind."""

_TAKEN_MODULES: Final = frozenset({"webhooks"})
"""Kinds in lower case after which functions would be named that there are already: `setup_webhooks`."""


_YAML_WORDS: Final = frozenset({"false", "n", "no", "null", "off", "on", "true", "y", "yes"})
"""What YAML 1.1, which kubectl reads, takes for something else than text unless it is quoted."""


def package_of(name: str) -> str:
    """The package of a project of that name: `operator_demo` for `operator-demo`."""
    return name.replace("-", "_")


def check_project_name(name: str) -> None:
    """Raises WrongName for a name that objects of a cluster cannot be named after."""
    if is_dns1035_label(name) or "--" in name:
        raise WrongName(
            f"{quoted(name)} cannot be the name of a project, since objects in clusters are named after it: "
            "it takes lower case letters, digits and single dashes, and begins with a letter"
            f"; give --name {_instead(check_project_name, name, _label(name), 'operator-demo')}"
        )
    if len(name) > _MAX_PROJECT_NAME:
        raise WrongName(
            f"{quoted(name)} is too long for the name of a project, which may have {_MAX_PROJECT_NAME} "
            f"characters; give a shorter --name, such as {name[:_MAX_PROJECT_NAME].rstrip('-')}"
        )
    _refuse_yaml_word(name, "the name of a project", f"give another --name, such as {name}-operator")


def check_package(package: str) -> None:
    """Raises WrongName for a name by which no package can be imported, or another one would be."""
    remedy = f"; give --package {_identifier(package) or 'operator_demo'}"
    if not (package.isascii() and package.isidentifier() and package == package.lower()):
        raise WrongName(
            f"{quoted(package)} cannot be the name of a package: it takes lower case letters, digits and "
            f"underscores, and begins with a letter{remedy}"
        )
    if keyword.iskeyword(package):
        raise WrongName(f"{quoted(package)} is a keyword of Python and no name of a package{remedy}")
    if package in sys.stdlib_module_names or package.startswith("_"):
        raise WrongName(f"a package {quoted(package)} would hide a module of Python's own{remedy}")
    if package in _DEPENDENCIES:
        raise WrongName(f"a package {quoted(package)} would hide the one that operators import{remedy}")
    if package in _PROJECT_FOLDERS:
        raise WrongName(f"a package {quoted(package)} would be mistaken for a folder of the project{remedy}")


def check_domain(domain: str) -> None:
    """Raises WrongName for what cannot be the end of API groups."""
    if is_dns1123_subdomain(f"{'a' * _MAX_PROJECT_NAME}.{domain}") and not is_dns1123_subdomain(domain):
        raise WrongName(
            f"the domain {quoted(domain)} is too long to name objects after it; give a shorter one"
        )
    if is_dns1123_subdomain(domain):
        instead = _instead(check_domain, domain, _subdomain(domain), "example.com")
        raise WrongName(
            f"{quoted(domain)} cannot be the domain of API groups: it takes lower case letters, digits, "
            f"dashes and dots; give --domain {instead}"
        )
    _refuse_protected(domain)


def check_group(group: str, domain: str) -> None:
    """Raises WrongName for what cannot stand before the domain of a project; it may be empty."""
    if not group:
        check_api_group(domain)
        return
    lower = group.lower()
    if f".{lower}".endswith(f".{domain}") and not is_dns1123_subdomain(lower):
        short = lower.removesuffix(domain).removesuffix(".")
        raise WrongName(
            f"the domain {domain} is put behind the group by itself; give --group {short or quoted('')}"
        )
    if is_dns1123_subdomain(group):
        instead = _instead(partial(check_group, domain=domain), group, _subdomain(group), "apps")
        raise WrongName(
            f"{quoted(group)} cannot be a group of an API: it takes lower case letters, digits, dashes and "
            f"dots; give --group {instead}"
        )
    check_api_group(f"{group}.{domain}")


def check_api_group(group: str) -> None:
    """Raises WrongName for a group that servers refuse definitions of."""
    if is_dns1123_subdomain(group):
        raise WrongName(f"the group {quoted(group)} is too long for an API server; give a shorter --group")
    if "." not in group:
        raise WrongName(
            f"the group {quoted(group)} has no dot, and API servers want one; give a --group to put before it"
        )
    _refuse_protected(group)


def check_version(version: str) -> None:
    """Raises WrongName for what is no version of an API."""
    if _VERSION.fullmatch(version) is None or is_dns1035_label(version):
        number = re.search("[1-9][0-9]{0,3}", version)
        suggestion = f"v{number[0]}" if number else ""
        raise WrongName(
            f"{quoted(version)} is no version of an API, which is written v1, v1beta1 or v2alpha1"
            f"; give --version {_instead(check_version, version, suggestion, 'v1')}"
        )


def check_kind(kind: str) -> None:
    """Raises WrongName for what servers refuse as a kind, or what cannot be a class and a module."""
    if _KIND.fullmatch(kind) is None:
        raise WrongName(
            f"{quoted(kind)} cannot be a kind: it takes letters and digits in CamelCase, and begins with a "
            f"capital letter; give --kind {_instead(check_kind, kind, _camel(kind), 'CustomPod')}"
        )
    if is_dns1035_label(f"{kind.lower()}list"):
        longest = DNS1035_LABEL_MAX_LENGTH - len("List")
        raise WrongName(
            f"the kind {quoted(kind)} is too long; API servers take {longest} letters, its list four more"
        )
    remedy = f"; take another --kind, such as Custom{kind}"
    if keyword.iskeyword(kind.lower()) or keyword.iskeyword(kind):
        raise WrongName(f"{kind} cannot be a kind, since {_keyword(kind)} is a keyword of Python{remedy}")
    _refuse_yaml_word(kind, "a kind", remedy[2:])
    if kind in _TAKEN_KINDS or kind.lower() in _TAKEN_MODULES:
        raise WrongName(f"{kind} cannot be a kind, since the project's modules use that name{remedy}")
    if kind.endswith("List"):
        raise WrongName(
            f"{kind} cannot be a kind, since the list of a kind is called that; take another --kind, such as "
            f"{_instead(check_kind, kind, kind.removesuffix('List'), 'CustomPod')}"
        )


def check_plural(plural: str) -> None:
    """Raises WrongName for what cannot be the name of a resource in paths."""
    if is_dns1035_label(plural):
        instead = _instead(check_plural, plural, _label(plural), "custompods")
        raise WrongName(
            f"{quoted(plural)} cannot be a plural: it takes lower case letters, digits and dashes, and "
            f"begins with a letter; give --plural {instead}"
        )
    _refuse_yaml_word(plural, "a plural", "give another --plural, such as custompods")


def _refuse_yaml_word(name: str, what: str, remedy: str) -> None:
    if name.lower() in _YAML_WORDS:
        raise WrongName(
            f"{name} cannot be {what}, since manifests in YAML would not mean text by it; {remedy}"
        )


def _refuse_protected(group: str) -> None:
    if needs_approval(group, {}):
        raise WrongName(
            f"{quoted(group)} belongs to the Kubernetes community, and servers refuse definitions in it "
            "without an approval; take a domain of your own, such as example.com"
        )


def _instead(check: Callable[[str], None], value: str, suggestion: str, example: str) -> str:
    """A name to take instead of a wrong one: the suggestion if it is right, else an example."""
    # What is made of a suggestion is itself, so that this ends.
    if suggestion not in ("", value):
        with suppress(WrongName):
            check(suggestion)
            return suggestion
    return example


def _label(text: str) -> str:
    """What a text could be as a label, or nothing."""
    words = re.findall("[a-z0-9]+", re.sub("(?<=[a-z0-9])(?=[A-Z])", "-", text).lower())
    return "-".join(words).lstrip("0123456789-")[:_MAX_PROJECT_NAME].rstrip("-")


def _subdomain(text: str) -> str:
    labels = (re.sub("[^a-z0-9-]+", "-", label).strip("-") for label in text.lower().split("."))
    return ".".join(label for label in labels if label)[:200].rstrip("-.")


def _identifier(text: str) -> str:
    """What a text could be as a package, or nothing; never one that is refused."""
    name = "_".join(re.findall("[a-z0-9]+", text.lower())).lstrip("0123456789_")[:64].rstrip("_")
    taken = name in sys.stdlib_module_names or name in _DEPENDENCIES or name in _PROJECT_FOLDERS
    return f"{name}_operator" if name and (taken or keyword.iskeyword(name)) else name


def _camel(text: str) -> str:
    words = re.findall("[A-Za-z0-9]+", text)
    name = "".join(word[:1].upper() + word[1:] for word in words).lstrip("0123456789")
    return name[:1].upper() + name[1:]


def _keyword(kind: str) -> str:
    """The keyword that a kind's module or class would be named like."""
    return kind if keyword.iskeyword(kind) else f"{kind.lower()}, as its module is called,"
