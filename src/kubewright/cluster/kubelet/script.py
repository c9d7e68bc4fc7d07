"""What the containers of a pod are to pretend, as annotations of the pod say.

    metadata:
      annotations:
        kubelet.kubewright.dev/start-after: 2s       # until then the pod is Pending, ContainerCreating
        kubelet.kubewright.dev/ready-after: 500ms    # after its start; or never
        kubelet.kubewright.dev/run-for: 1m           # then it ends; by default never, or at once
        kubelet.kubewright.dev/exit-code: "3"        # with which it ends
        kubelet.kubewright.dev/crash-loop: "true"    # ends with 1 as soon as it has started, again and again
        kubelet.kubewright.dev/stop-after: 5s        # how long it takes to end when it is told to
        kubelet.kubewright.dev/image-pull-error: "true"
        kubelet.kubewright.dev/exit-code.sidecar: "1"    # of one container, by its name
        kubelet.kubewright.dev/log: "listening on :80"   # what it writes when it starts; may be many lines
        kubelet.kubewright.dev/log-every: 1s             # and then again and again
        kubelet.kubewright.dev/exec: ...                 # answers to commands, see answers.py
        kubelet.kubewright.dev/files: ...                # files that commands find

What is said of the pod holds for its containers, not for those that initialize it; these have to be named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from kubewright.cluster.kubelet.answers import (
    NO_ANSWERS,
    NO_FILES,
    CannedAnswer,
    Unreadable,
    read_answers,
    read_files,
)

__all__ = ["PREFIX", "ContainerScript", "Role", "script_of", "script_of_ephemeral"]

PREFIX: Final = "kubelet.kubewright.dev/"

_PART: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)")
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_TRUE: Final = frozenset({"true", "yes", "1"})
_FALSE: Final = frozenset({"false", "no", "0", ""})
_MAX_EXIT_CODE: Final = 255
"""The largest that a process can end with."""
_MAX_TEXT: Final = 64
"""Characters of a duration or an exit code: nobody writes more, and looking for units in many of them would
keep the whole cluster waiting."""
_LONGEST: Final = 10 * 365 * 86400.0
"""In seconds, ten years: event loops and dates have an end."""
_SHORTEST_INTERVAL: Final = 0.01
"""The seconds between writes to a log: whoever follows one is not to be flooded."""


class Role(NamedTuple):
    """What a container is in its pod."""

    initializes: bool
    """Whether it ends before the others start."""
    restarts: bool
    """Whether it is restarted whatever it ends with."""
    lasts: float = 0.0
    """For how many seconds it runs if it ends by itself."""


class ContainerScript(NamedTuple):
    """What one container pretends; times are in seconds."""

    start_after: float = 0.0
    ready_after: float = 0.0
    """Infinite for never."""
    run_for: float | None = None
    """None for as long as it is let."""
    exit_code: int = 0
    stop_after: float = 0.0
    pull_fails: bool = False
    log: str | None = None
    """What it writes; None for the usual."""
    log_every: float | None = None
    """After how many seconds again; None for once."""
    answers: Mapping[str, CannedAnswer] = NO_ANSWERS
    """To commands."""
    files: Mapping[str, str] = NO_FILES
    """By their paths."""


def script_of(
    annotations: Mapping[str, str], container: str, role: Role
) -> tuple[ContainerScript, list[str]]:
    """The script of a container, and a sentence for each annotation that cannot be read.

    Without one, containers run for ever where the restart policy would start them again, and else end well.
    """
    problems: list[str] = []

    def read(word: str, reader: Callable[[str], Any], default: Any) -> Any:
        for name in (f"{word}.{container}", *(() if role.initializes else (word,))):
            text = annotations.get(PREFIX + name)
            if text is None:
                continue
            try:
                return reader(text.strip())
            except Unreadable as problem:
                problems.append(f"the annotation {PREFIX}{name} is {text!r:.200}, which is no {problem}")
        return default

    crashes = read("crash-loop", _flag, default=False)
    exit_code = read("exit-code", _code, 1 if crashes else 0)
    at_once = role.initializes or crashes or exit_code
    lasts = None if role.restarts else role.lasts
    script = ContainerScript(
        start_after=read("start-after", _duration, 0.0),
        ready_after=read("ready-after", _duration_or_never, 0.0),
        run_for=read("run-for", _duration_or_never, 0.0 if at_once else lasts),
        exit_code=exit_code,
        stop_after=read("stop-after", _duration, 0.0),
        pull_fails=read("image-pull-error", _flag, default=False),
        log=read("log", str, None),
        log_every=read("log-every", _interval, None),
        answers=read("exec", _answers, NO_ANSWERS),
        files=read("files", read_files, NO_FILES),
    )
    if script.run_for == float("inf"):
        script = script._replace(run_for=None)
    return script, problems


def script_of_ephemeral(annotations: Mapping[str, str], container: str) -> tuple[ContainerScript, list[str]]:
    """The script of a container that somebody adds to look at the others, and the same sentences.

    What is said of all containers is not said of it.
    """
    own = {name: text for name, text in annotations.items() if name.endswith(f".{container}")}
    return script_of(own, container, Role(initializes=False, restarts=True))


def _duration(text: str) -> float:
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?", text):
        seconds = float(text)
    else:
        parts = _PART.findall(text[: _MAX_TEXT + 1])
        if not parts or "".join(number + unit for number, unit in parts) != text:
            raise Unreadable("duration; write it as 500ms, 2s or 1m30s")
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    if seconds > _LONGEST:
        raise Unreadable(f"duration of {_LONGEST / 3600:.0f}h or less")
    return seconds


def _duration_or_never(text: str) -> float:
    return float("inf") if text == "never" else _duration(text)


def _interval(text: str) -> float:
    seconds = _duration(text)
    if seconds < _SHORTEST_INTERVAL:
        raise Unreadable(f"duration of {_SHORTEST_INTERVAL * 1000:g}ms or more")
    return seconds


def _answers(text: str) -> Mapping[str, CannedAnswer]:
    return read_answers(text, exit_code=_code, duration=_duration)


def _code(text: str) -> int:
    if len(text) > _MAX_TEXT or not re.fullmatch("[0-9]+", text) or int(text) > _MAX_EXIT_CODE:
        raise Unreadable(f"exit code; write a number from 0 to {_MAX_EXIT_CODE}")
    return int(text)


def _flag(text: str) -> bool:
    if text.lower() not in _TRUE | _FALSE:
        raise Unreadable("true or false")
    return text.lower() in _TRUE
