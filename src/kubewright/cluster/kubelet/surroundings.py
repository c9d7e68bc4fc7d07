"""What a command finds in a container that pretends: variables, files, a user."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from typing import Final

from kubewright.cluster.kubelet.script import ContainerScript
from kubewright.models.core_v1 import Container, EphemeralContainer, Pod

__all__ = ["Surroundings"]

_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_ACCOUNT: Final = "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where programs look for the namespace that they are in."""

_FOLDERS: Final = ("/bin", "/dev", "/etc", "/proc", "/sys", "/tmp", "/usr", "/var")  # noqa: S108 - names only

_FIELDS: Final[Mapping[str, Callable[[Pod], str]]] = {
    "metadata.name": lambda pod: pod.metadata.name,
    "metadata.namespace": lambda pod: pod.metadata.namespace,
    "metadata.uid": lambda pod: pod.metadata.uid,
    "spec.nodeName": lambda pod: pod.spec.node_name,
    "spec.serviceAccountName": lambda pod: pod.spec.service_account_name,
    "status.hostIP": lambda pod: pod.status.host_ip,
    "status.podIP": lambda pod: pod.status.pod_ip,
}
"""What variables can be taken from, but for labels and annotations."""


class Surroundings:
    """What there is around a command; a shell may change it for those that it runs."""

    def __init__(self, pod: Pod, container: Container | EphemeralContainer, script: ContainerScript) -> None:
        self.script: Final = script
        self.hostname: Final = pod.spec.hostname or pod.metadata.name
        self.folder = container.working_dir or "/"
        """Where the command is."""
        self.user: Final = _number(pod, container, "run_as_user")
        self.group: Final = _number(pod, container, "run_as_group")
        self.variables: Final = {
            "PATH": _PATH,
            "HOSTNAME": self.hostname,
            "HOME": "/" if self.user else "/root",
            **_variables(pod, container),
        }
        self.files: Final = {
            "/etc/hostname": f"{self.hostname}\n",
            "/etc/hosts": f"127.0.0.1\tlocalhost\n{pod.status.pod_ip}\t{self.hostname}\n",
            f"{_ACCOUNT}/namespace": pod.metadata.namespace,
            **script.files,
        }
        """Their texts by their paths."""

    def path(self, path: str) -> str:
        """A path as it is seen from the root."""
        whole = posixpath.normpath(posixpath.join(self.folder, path))
        # Of two slashes at the beginning, POSIX keeps both.
        return f"/{whole.lstrip('/')}"

    def is_folder(self, path: str) -> bool:
        """Whether there is such a folder."""
        below = path.rstrip("/") + "/"
        return path in {"/", self.folder, *_FOLDERS} or any(each.startswith(below) for each in self.files)

    def names_in(self, folder: str) -> list[str]:
        """What is in a folder."""
        below = folder.rstrip("/") + "/"
        there = [each.removeprefix(below) for each in (*self.files, *_FOLDERS) if each.startswith(below)]
        return sorted({each.partition("/")[0] for each in there})


def _variables(pod: Pod, container: Container | EphemeralContainer) -> dict[str, str]:
    """Those of the container, as far as they do not come from other objects."""
    found = {}
    for each in container.env:
        source = each.value_from.field_ref if each.value_from is not None else None
        if source is not None:
            read = _FIELDS.get(source.field_path)
            if read is not None:
                found[each.name] = read(pod)
        elif each.value_from is None:
            found[each.name] = each.value
    return found


def _number(pod: Pod, container: Container | EphemeralContainer, name: str) -> int:
    """A user or group: the container's, or else the pod's, or else root's."""
    for context in (container.security_context, pod.spec.security_context):
        number = getattr(context, name, None)
        if number is not None:
            return int(number)
    return 0
