"""The parameters of requests, as OpenAPI lists them, and which action takes which.

OpenAPI v2 keeps parameters that many operations share in one place, under names that end in a hash of their
contents, descriptions included. Those hashes are upstream's, recorded from kube-apiserver 1.36; here they are
nothing but names. `dryRun`, `fieldValidation` and `name` are not shared.
"""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = [
    "CONNECT_PARAMETERS",
    "DELETE_COLLECTION_PARAMETERS",
    "DELETE_PARAMETERS",
    "LIST_PARAMETERS",
    "LOG_PARAMETERS",
    "NAME",
    "NAMESPACE",
    "PATCH_PARAMETERS",
    "PATH",
    "PRETTY",
    "READ_PARAMETERS",
    "WRITE_PARAMETERS",
    "Parameter",
]


class Parameter(msgspec.Struct, frozen=True):
    """One parameter of a path or of a query."""

    name: str
    type: str = "string"
    shared: str = ""
    """The hash at the end of its name among the shared parameters of OpenAPI v2."""
    in_path: bool = False


NAME: Final = Parameter("name", in_path=True)
NAMESPACE: Final = Parameter("namespace", shared="vgWSWtn3", in_path=True)
PATH: Final = Parameter("path", shared="z6Ciiujn", in_path=True)
"""What follows `/proxy/`."""
PRETTY: Final = Parameter("pretty", shared="tJGM1-ng")

_ALLOW_WATCH_BOOKMARKS: Final = Parameter("allowWatchBookmarks", "boolean", "HC2hJt-J")
_CONTINUE: Final = Parameter("continue", shared="QfD61s0i")
_DRY_RUN: Final = Parameter("dryRun")
_FIELD_SELECTOR: Final = Parameter("fieldSelector", shared="xIcQKXFG")
_LABEL_SELECTOR: Final = Parameter("labelSelector", shared="5Zw57w4C")
_LIMIT: Final = Parameter("limit", "integer", "1NfNmdNH")
_RESOURCE_VERSION: Final = Parameter("resourceVersion", shared="5WAnf1kx")
_RESOURCE_VERSION_MATCH: Final = Parameter("resourceVersionMatch", shared="t8XhRHeC")
_SEND_INITIAL_EVENTS: Final = Parameter("sendInitialEvents", "boolean", "rLXlEK_k")
_SHARD_SELECTOR: Final = Parameter("shardSelector", shared="Kgyki_3_")
_TIMEOUT_SECONDS: Final = Parameter("timeoutSeconds", "integer", "yvYezaOC")
_WATCH: Final = Parameter("watch", "boolean", "XNNPZGbK")
_FIELD_VALIDATION: Final = Parameter("fieldValidation")

_SELECTION: Final = (
    _CONTINUE,
    _FIELD_SELECTOR,
    _LABEL_SELECTOR,
    _LIMIT,
    _RESOURCE_VERSION,
    _RESOURCE_VERSION_MATCH,
    _SEND_INITIAL_EVENTS,
    _SHARD_SELECTOR,
    _TIMEOUT_SECONDS,
)

LIST_PARAMETERS: Final = (_ALLOW_WATCH_BOOKMARKS, *_SELECTION, _WATCH)

WRITE_PARAMETERS: Final = (_DRY_RUN, Parameter("fieldManager", shared="Qy4HdaTW"), _FIELD_VALIDATION)

PATCH_PARAMETERS: Final = (
    _DRY_RUN,
    Parameter("fieldManager", shared="7c6nTn1T"),
    _FIELD_VALIDATION,
    Parameter("force", "boolean", "tOGGb0Yi"),
)

DELETE_PARAMETERS: Final = (
    _DRY_RUN,
    Parameter("gracePeriodSeconds", "integer", "-K5HaBOS"),
    Parameter("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean", "QbNkfIqj"),
    Parameter("orphanDependents", "boolean", "uRB25kX5"),
    Parameter("propagationPolicy", shared="6jk3prlO"),
)

DELETE_COLLECTION_PARAMETERS: Final = (*DELETE_PARAMETERS, *_SELECTION)

READ_PARAMETERS: Final = (_RESOURCE_VERSION,)
"""Upstream lists them for custom resources only."""

LOG_PARAMETERS: Final = (
    Parameter("container", shared="1GeXxFDC"),
    Parameter("follow", "boolean", "9OIXh_2R"),
    Parameter("insecureSkipTLSVerifyBackend", "boolean", "gM00jVbe"),
    Parameter("limitBytes", "integer", "zwd1RXuc"),
    Parameter("previous", "boolean", "1jxDPu3y"),
    Parameter("sinceSeconds", "integer", "vE2NLdnP"),
    Parameter("stream", shared="l-48cgXv"),
    Parameter("tailLines", "integer", "9xQLWHMV"),
    Parameter("timestamps", "boolean", "c17fW1w_"),
)

CONNECT_PARAMETERS: Final = {
    "NodeProxyOptions": (Parameter("path", shared="rFDtV0x9"),),
    "PodAttachOptions": (
        Parameter("container", shared="_Q-EJ3nR"),
        Parameter("stderr", "boolean", "26jJhFUR"),
        Parameter("stdin", "boolean", "sEFnN3IS"),
        Parameter("stdout", "boolean", "005YMKE6"),
        Parameter("tty", "boolean", "g7MlET_l"),
    ),
    "PodExecOptions": (
        Parameter("command", shared="Py3eQybp"),
        Parameter("container", shared="i5dOmRiM"),
        Parameter("stderr", "boolean", "W_1TNlWc"),
        Parameter("stdin", "boolean", "PSzNhyUC"),
        Parameter("stdout", "boolean", "-EZLRwV1"),
        Parameter("tty", "boolean", "s0flW37O"),
    ),
    "PodPortForwardOptions": (Parameter("ports", "integer", "91KROJmm"),),
    "PodProxyOptions": (Parameter("path", shared="oPbzgLUj"),),
    "ServiceProxyOptions": (Parameter("path", shared="QCf0eosM"),),
}
"""By the kind that carries them: those of the subresources that connect to something else."""
