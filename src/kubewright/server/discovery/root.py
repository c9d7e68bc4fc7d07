"""The documents outside of the API: `/`, which lists the paths, and `/version`.

Upstream writes both indented, whoever asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from kubewright.server.discovery.groups import served_groups
from kubewright.server.registry.resource import ServedResource
from kubewright.version import KUBERNETES_VERSION, __version__

__all__ = ["root_paths", "version_info"]

_PATHS: Final = (
    "/.well-known/openid-configuration",
    "/api",
    "/api/v1",
    "/apis",
    "/apis/",
    "/healthz",
    "/livez",
    "/openapi/v2",
    "/openapi/v3",
    "/openapi/v3/",
    "/openid/v1/jwks",
    "/readyz",
    "/version",
)
"""Upstream's, less those of parts that are not here: single health checks, metrics, flags and the like."""


def root_paths(resources: Iterable[ServedResource], *, more: Iterable[str] = ()) -> bytes:
    """`/`: every path that is no resource, sorted; `more` are those that the HTTP layer adds."""
    paths = {*_PATHS, *more}
    for group in served_groups(resources):
        if group.name:
            paths.add(f"/apis/{group.name}")
            paths.update(f"/apis/{version.group_version.api_version}" for version in group.versions)
    return _indented({"paths": sorted(paths)})


def version_info() -> bytes:
    """`/version`: the release of Kubernetes that this is like, and after the plus sign what it really is.

    Go clients read `gitVersion` as a semantic version, of which a plus sign begins the build metadata; they
    compare what stands before it, so kubectl sees no skew.
    """
    major, minor, _ = KUBERNETES_VERSION.split(".")
    build = "".join(char if char.isalnum() else "." for char in __version__)
    return _indented(
        {
            "major": major,
            "minor": minor,
            "emulationMajor": major,
            "emulationMinor": minor,
            "minCompatibilityMajor": major,
            "minCompatibilityMinor": str(int(minor) - 1),
            "gitVersion": f"v{KUBERNETES_VERSION}+kubewright.{build}",
            "gitCommit": "",
            "gitTreeState": "",
            "buildDate": "1970-01-01T00:00:00Z",
            "goVersion": "",
            "compiler": "",
            "platform": "",
        }
    )


def _indented(document: object) -> bytes:
    return msgspec.json.format(msgspec.json.encode(document), indent=2)
