"""How the program reaches its cluster: kubeconfigs that choose a context, or act for a service account.

One that chooses is a small file that stands before the others in $KUBECONFIG, as kubectl and client-go merge
them. One that acts stands alone: nothing in it names another context, by which one would act for oneself.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from kubewright.config import ConfigError
from kubewright.config.kubeconfig import Cluster, Sourced, User
from kubewright.config.loading import find_kubeconfig

__all__ = ["Account", "acting_as", "with_context"]


class Account(NamedTuple):
    """A service account."""

    namespace: str
    name: str

    @property
    def user(self) -> str:
        """By which the API server knows it."""
        return f"system:serviceaccount:{self.namespace}:{self.name}"


def with_context(folder: Path, kubeconfig: str | None, context: str | None) -> str:
    """A value of $KUBECONFIG that means the files and the context that were given; the same without either.

    What has to be written is written into `folder`. Raises ConfigError.
    """
    _, paths = find_kubeconfig(kubeconfig)
    if not context:
        return _joined(paths)
    return _joined([_written(folder / "context", {"current-context": context}), *paths])


def acting_as(account: Account, folder: Path, kubeconfig: str | None, context: str | None) -> str:
    """A value of $KUBECONFIG by which requests act for a service account, and have its rights alone.

    The caller's credentials stand in a file in `folder` that only its owner may read, and that has nothing
    but this one way to the cluster. It keeps a program from what it may not do by mistake; one that reads the
    file can still act as the caller. Raises ConfigError.
    """
    found, _ = find_kubeconfig(kubeconfig)
    name = context or found.current_context
    chosen = found.contexts.get(name)
    if chosen is None:
        raise ConfigError(
            "no kubeconfig says who is to act for the service account; name one with --kubeconfig"
        )
    user = found.users.get(chosen.entry.user)
    entry = msgspec.to_builtins(_absolute(user)) if user is not None else {}
    shown = f"{account.namespace}/{account.name}"
    cluster = found.clusters.get(chosen.entry.cluster)
    document = {
        "clusters": [] if cluster is None else [_named_cluster(chosen.entry.cluster, cluster)],
        "current-context": shown,
        "contexts": [
            {
                "name": shown,
                "context": {
                    "cluster": chosen.entry.cluster,
                    "user": shown,
                    "namespace": account.namespace,
                },
            }
        ],
        # The server itself adds the groups of the account, to which callers need no rights then.
        "users": [
            {"name": shown, "user": {**entry, "as": account.user, "as-uid": "", "as-groups": []}},
        ],
    }
    return _joined([_written(folder / "account", document)])


def _named_cluster(name: str, cluster: Sourced[Cluster]) -> dict[str, Any]:
    entry = cluster.entry
    if entry.certificate_authority:
        place = str(cluster.directory / entry.certificate_authority)
        entry = msgspec.structs.replace(entry, certificate_authority=place)
    return {"name": name, "cluster": msgspec.to_builtins(entry)}


def _absolute(user: Sourced[User]) -> User:
    """An entry whose paths do not depend on the file that it stands in."""
    entry, directory = user.entry, user.directory

    def place(path: str) -> str:
        return str(directory / path) if path else ""

    plugin = entry.exec
    if plugin is not None and os.sep in plugin.command:
        plugin = msgspec.structs.replace(plugin, command=place(plugin.command))
    return msgspec.structs.replace(
        entry,
        client_certificate=place(entry.client_certificate),
        client_key=place(entry.client_key),
        token_file=place(entry.token_file),
        exec=plugin,
    )


def _joined(paths: Sequence[Path]) -> str:
    return os.pathsep.join(str(path.absolute()) for path in paths)


def _written(path: Path, document: Mapping[str, Any]) -> Path:
    """Write a file that only its owner may read, also in place of one that a program has open."""
    draft = path.with_name(f"{path.name}.new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        # JSON is YAML.
        file.write(msgspec.json.encode({"apiVersion": "v1", "kind": "Config", **document}))
    return draft.replace(path)
