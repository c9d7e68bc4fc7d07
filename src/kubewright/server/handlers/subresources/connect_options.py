"""What is asked for of a connection to a pod, node or service, as the object that plugins see."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.label_selectors import parse_int64
from kubewright.server.errors import bad_request
from kubewright.server.handlers.call import Call
from kubewright.server.handlers.subresources.queries import is_true
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.store import Store

__all__ = ["connect_options"]

_STREAMS: Final = ("stdin", "stdout", "stderr", "tty")


def connect_options(call: Call, store: Store) -> Object:
    """The options of a connection: PodExecOptions and their like. Raises BadRequest."""
    subresource = call.info.subresource
    kind = store.type.served.subresources[subresource].gvk
    made: Object = {"kind": kind.kind, "apiVersion": kind.group_version.api_version}
    query = call.query
    if subresource in {"exec", "attach"}:
        made |= {name: True for name in _STREAMS if is_true(query, name)}
        if query.get("container", ""):
            made["container"] = query.get("container", "")
        if subresource == "exec" and "command" in query:
            made["command"] = query.getall("command", [])
    elif subresource == "portforward":
        ports = [_port(text) for part in query.getall("ports", []) for text in part.split(",")]
        if ports:
            made["ports"] = ports
    else:
        # What stands behind the subresource in the path counts, and is a path itself.
        below = "/".join(call.info.parts[3:])
        path = f"/{below}" if below else query.get("path", "")
        if below and call.info.path.endswith("/"):
            path += "/"
        if path:
            made["path"] = path
    return made


def _port(text: str) -> int:
    number = parse_int64(text)
    if number is None:
        raise bad_request(f"the port {text!r:.100} is no number")
    return number
