"""Connections to pods, nodes and services: logs, commands, ports and proxies."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

import msgspec

from kubewright.machinery.errors import ApiError
from kubewright.machinery.field_errors import go_quote
from kubewright.server.admission.unstored import admit_connect
from kubewright.server.authorization import attributes_of
from kubewright.server.errors import (
    bad_request,
    forbidden,
    method_not_allowed,
    not_found,
    service_unavailable,
)
from kubewright.server.handlers.call import TEXT, Answer, Call, Reply, Streamed, Upgraded
from kubewright.server.handlers.subresources.channels import (
    PROTOCOLS,
    Channels,
    command_protocol,
    serve_command,
)
from kubewright.server.handlers.subresources.connect_options import connect_options
from kubewright.server.handlers.subresources.connections import Connections
from kubewright.server.handlers.subresources.kubelets import FollowedPod, Kubelets
from kubewright.server.handlers.subresources.log_options import log_options
from kubewright.server.handlers.subresources.queries import is_true
from kubewright.server.handlers.upgrades import (
    check_handshake,
    is_upgrade,
    is_websocket,
    log_over_websocket,
    offered_protocols,
)
from kubewright.server.kinds.kind import Object
from kubewright.server.registry.resource_type import REGISTRY_ROOT
from kubewright.server.registry.store import Store
from kubewright.server.registry.stored import decode_stored
from kubewright.server.registry.write import Write

__all__ = ["connect"]

_LOG_TYPE: Final = "text/plain"

_NO_KUBELETS: Final = "this server has no kubelets and no pod network"

_NO_NETWORK: Final = (
    "its containers are pretended, and there is no network of pods; run the program beside the cluster, "
    "and connect to that"
)


async def connect(connections: Connections, call: Call, store: Store) -> Reply:
    """Serve a connection, or refuse it. Raises ApiError."""
    match call.info.subresource:
        case "log":
            return await _log(connections, call, store)
        case "exec" | "attach":
            return await _command(connections, call, store)
        case "portforward":
            return await _forward(connections, call, store)
    return await _proxy(call, store)


async def _log(connections: Connections, call: Call, store: Store) -> Reply:
    if call.info.verb != "get":
        raise method_not_allowed()
    options = log_options(call)
    entry = store.get(call.info.namespace, call.info.name)
    pod = await store.load(entry.value)
    container = _container(pod, call.query.get("container", ""))
    node = (pod.get("spec") or {}).get("nodeName", "")
    if not node:
        return Answer(b"", 204, TEXT)
    kubelets = _kubelets(connections, call, store, _node(store, node))
    connections.check_room()
    followed = FollowedPod(store, entry)
    chunks = kubelets.log(followed, container, options)

    async def read() -> AsyncIterator[bytes]:
        with connections.opened(followed):
            async for chunk in chunks:
                yield chunk

    reply = Streamed(read, _LOG_TYPE, is_patient=True)
    return log_over_websocket(call, reply) if is_websocket(call) else reply


async def _command(connections: Connections, call: Call, store: Store) -> Reply:
    pod, node = await _begin(connections, call, store)
    container = _container(pod, call.query.get("container", ""))
    found = _need_node(call, store, node)
    _need_upgrade(call)
    kubelets = _kubelets(connections, call, store, found)
    protocol = _protocol(call)
    streams = {name: is_true(call.query, name) for name in ("stdin", "stdout", "stderr", "tty")}
    words = call.query.getall("command", [])
    attaches = call.info.subresource == "attach"
    if not any(streams[name] for name in ("stdin", "stdout", "stderr")):
        raise bad_request("you must specify at least 1 of stdin, stdout, stderr")
    if not attaches and not any(words):
        raise bad_request("you must specify a command")
    connections.check_room()

    async def work(channels: Channels) -> int:
        followed = FollowedPod(store, store.get(call.info.namespace, call.info.name))
        with connections.opened(followed):
            if not attaches:
                return await kubelets.exec(followed, container, words, channels)
            await kubelets.attach(followed, container, channels)
            return 0

    return Upgraded(
        lambda socket: serve_command(Channels(socket, protocol=protocol, **streams), work), protocol
    )


async def _forward(connections: Connections, call: Call, store: Store) -> Reply:
    _, node = await _begin(connections, call, store)
    found = _need_node(call, store, node)
    _need_upgrade(call)
    _kubelets(connections, call, store, found)
    raise _unreachable(call, store, _NO_NETWORK)


async def _proxy(call: Call, store: Store) -> Reply:
    await _admit(call, store)
    entry = store.get(call.info.namespace, call.info.name)
    if store.type.served.kind == "Pod":
        pod = await store.load(entry.value)
        _need_node(call, store, (pod.get("spec") or {}).get("nodeName", ""))
    raise _unreachable(call, store, _NO_KUBELETS)


async def _begin(connections: Connections, call: Call, store: Store) -> tuple[Object, str]:
    """A pod, and the name of its node, to which a connection is wanted and allowed."""
    if call.info.verb not in {"get", "create"}:
        raise method_not_allowed()
    await _admit(call, store)
    _check_create(connections, call, store)
    pod = await store.load(store.get(call.info.namespace, call.info.name).value)
    return pod, (pod.get("spec") or {}).get("nodeName", "")


def _check_create(connections: Connections, call: Call, store: Store) -> None:
    """Refuse whoever may not create: by GET, with which WebSockets begin, no less can be done."""
    if call.info.verb == "create":
        return
    attributes = msgspec.structs.replace(attributes_of(call.user, call.info), verb="create")
    decision = connections.authorizer.authorize(attributes)
    if not decision.allowed:
        raise forbidden(store.type.group_resource, call.info.name, decision.reason)


async def _admit(call: Call, store: Store) -> None:
    namespace = call.info.namespace if store.type.served.namespaced else ""
    write = Write(
        user=call.user,
        now=call.now,
        namespace=namespace,
        subresource=call.info.subresource,
        warnings=call.warnings,
        annotations=call.annotations,
    )
    await admit_connect(store, call.info.name, connect_options(call, store), write)


def _container(pod: Object, wanted: str) -> str:
    """The container that is meant. Raises BadRequest when it is not named or not there."""
    spec, name = pod.get("spec") or {}, pod["metadata"]["name"]
    groups = ("initContainers", "containers", "ephemeralContainers")
    names = [each["name"] for group in groups for each in spec.get(group) or ()]
    if wanted:
        if wanted not in names:
            raise bad_request(f"container {wanted} is not valid for pod {name}")
        return wanted
    if len(spec["containers"]) == 1:
        only: str = spec["containers"][0]["name"]
        return only
    raise bad_request(
        f"a container name must be specified for pod {name}, choose one of: [{' '.join(names)}]"
    )


def _need_node(call: Call, store: Store, name: str) -> Object:
    """The node of a pod. Raises BadRequest when it has none, and NotFound."""
    if not name:
        raise bad_request(f"pod {call.info.name} does not have a host assigned")
    return _node(store, name)


def _node(store: Store, name: str) -> Object:
    entry = store.storage.get(f"{REGISTRY_ROOT}nodes/{name}")
    if entry is None:
        # Upstream says pods where it means nodes.
        raise not_found(store.type.group_resource, name)
    return decode_stored(entry.value)


def _kubelets(connections: Connections, call: Call, store: Store, node: Object) -> Kubelets:
    """The kubelets, if that of a node is among them. Raises ServiceUnavailable."""
    kubelets = connections.kubelets
    if kubelets is None:
        raise _unreachable(call, store, _NO_KUBELETS)
    if not kubelets.serves(node):
        name = node["metadata"]["name"]
        raise _unreachable(call, store, f"the kubelet of node {name} is none of this server's")
    return kubelets


def _unreachable(call: Call, store: Store, why: str) -> ApiError:
    what = f"{store.type.served.kind.lower()} {call.info.name}"
    return service_unavailable(f"{what} cannot be reached: {why}")


def _need_upgrade(call: Call) -> None:
    if not is_upgrade(call):
        raise bad_request("Upgrade request required")


def _protocol(call: Call) -> str:
    """The protocol of the WebSocket that a request asks for. Raises BadRequest and Forbidden."""
    if not is_websocket(call) or call.method != "GET":
        wanted = call.headers.get("Upgrade", "").strip()
        raise bad_request(
            f"this server speaks WebSockets ({', '.join(PROTOCOLS)}), and not {go_quote(wanted[:100])}; use "
            "kubectl from 1.30 on, without KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false"
        )
    check_handshake(call)
    return command_protocol(offered_protocols(call))
