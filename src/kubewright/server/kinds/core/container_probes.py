"""The rules of probes and lifecycle handlers."""

from __future__ import annotations

from typing import Final

from kubewright.machinery.field_errors import forbidden, invalid, required
from kubewright.machinery.names import is_http_header_name
from kubewright.server.kinds.core.name_checks import check_port, unsupported
from kubewright.server.kinds.kind import Errors, Object

__all__ = ["check_lifecycle", "check_probes"]

_SCHEMES: Final = ("HTTP", "HTTPS")

_NUMBERS: Final = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)

_SIGNALS: Final = (
    "SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE "
    "SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMIN SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP "
    "SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ"
)
_REAL_TIME_SIGNALS: Final = (
    *(f"SIGRTMIN+{number}" for number in range(1, 16)),
    *(f"SIGRTMAX-{number}" for number in range(1, 15)),
)
_LINUX_SIGNALS: Final = tuple(sorted([*_SIGNALS.split(), *_REAL_TIME_SIGNALS]))
_WINDOWS_SIGNALS: Final = ("SIGKILL", "SIGTERM")


def check_probes(errors: Errors, container: Object, grace: int | None, path: str) -> None:
    """The three probes of a container."""
    liveness = container.get("livenessProbe")
    if liveness is not None:
        _check_probe(errors, liveness, grace, f"{path}.livenessProbe")
        _check_one_success(errors, liveness, f"{path}.livenessProbe")
    readiness = container.get("readinessProbe")
    if readiness is not None:
        _check_probe(errors, readiness, grace, f"{path}.readinessProbe")
        seconds = readiness.get("terminationGracePeriodSeconds")
        if seconds is not None:
            place = f"{path}.readinessProbe.terminationGracePeriodSeconds"
            errors.append(invalid(place, seconds, "must not be set for readinessProbes"))
    startup = container.get("startupProbe")
    if startup is not None:
        _check_probe(errors, startup, grace, f"{path}.startupProbe")
        _check_one_success(errors, startup, f"{path}.startupProbe")


def _check_one_success(errors: Errors, probe: Object, path: str) -> None:
    threshold = probe.get("successThreshold") or 0
    if threshold != 1:
        errors.append(invalid(f"{path}.successThreshold", threshold, "must be 1"))


def _check_probe(errors: Errors, probe: Object, grace: int | None, path: str) -> None:
    _check_handler(errors, probe, grace, path)
    for name in _NUMBERS:
        if (probe.get(name) or 0) < 0:
            errors.append(invalid(f"{path}.{name}", probe[name], "must be greater than or equal to 0"))
    seconds = probe.get("terminationGracePeriodSeconds")
    if seconds is not None and seconds <= 0:
        place = f"{path}.terminationGracePeriodSeconds"
        errors.append(invalid(place, seconds, "must be greater than 0"))


def _check_handler(errors: Errors, handler: Object, grace: int | None, path: str) -> None:
    found = False
    for kind in ("exec", "httpGet", "tcpSocket", "grpc", "sleep"):
        action = handler.get(kind)
        if action is None:
            continue
        place = f"{path}.{kind}"
        if found:
            errors.append(forbidden(place, "may not specify more than 1 handler type"))
        elif kind == "exec":
            if not action.get("command"):
                errors.append(required(f"{place}.command"))
        elif kind == "httpGet":
            _check_http_get(errors, action, place)
        elif kind == "sleep":
            _check_sleep(errors, action.get("seconds") or 0, grace, place)
        else:
            _check_port(errors, action, place)
        found = True
    if not found:
        errors.append(required(path, "must specify a handler type"))


def _check_port(errors: Errors, action: Object, path: str) -> None:
    port = action.get("port")
    check_port(errors, 0 if port is None else port, f"{path}.port")


def _check_http_get(errors: Errors, action: Object, path: str) -> None:
    if not action.get("path"):
        errors.append(required(f"{path}.path"))
    _check_port(errors, action, path)
    scheme = action.get("scheme") or ""
    if scheme not in _SCHEMES:
        errors.append(unsupported(f"{path}.scheme", scheme, _SCHEMES))
    for header in action.get("httpHeaders") or ():
        name = header.get("name") or ""
        for message in is_http_header_name(name):
            errors.append(invalid(f"{path}.httpHeaders", name, message))


def _check_sleep(errors: Errors, seconds: int, grace: int | None, path: str) -> None:
    if grace is not None and not 0 <= seconds <= grace:
        detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
        errors.append(invalid(path, seconds, detail))


def check_lifecycle(errors: Errors, lifecycle: Object, grace: int | None, os: str | None, path: str) -> None:
    """What a container does after its start and before its end; `os` is None if the pod does not name it."""
    for name in ("postStart", "preStop"):
        handler = lifecycle.get(name)
        if handler is not None:
            _check_handler(errors, handler, grace, f"{path}.{name}")
    signal = lifecycle.get("stopSignal")
    if signal is None:
        return
    if os is None:
        detail = "may not be set for containers with empty `spec.os.name`"
        errors.append(forbidden(f"{path}.stopSignal", detail))
    elif os in {"windows", "linux"}:
        supported = _WINDOWS_SIGNALS if os == "windows" else _LINUX_SIGNALS
        if signal not in supported:
            errors.append(unsupported(f"{path}.stopSignal", signal, supported))
