"""Answers to commands, and files, that a pod's annotations have ready.

    kubelet.kubewright.dev/exec: |
      cat /proc/uptime: "350735.47 234388.90\\n"        # what the command writes to stdout
      nginx -t: {stderr: "nginx: configuration is wrong\\n", exitCode: 1, after: 2s}
      "*": {stderr: "never heard of it\\n", exitCode: 127}   # every other command
    kubelet.kubewright.dev/files: |
      /etc/app.conf: "level: debug\\n"                  # for cat and ls

Both are YAML, and therefore JSON as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from kubewright.machinery import yaml
from kubewright.machinery.errors import KubewrightError

__all__ = ["ANY", "NO_ANSWERS", "NO_FILES", "CannedAnswer", "Unreadable", "read_answers", "read_files"]

ANY: Final = "*"
"""The command that stands for all others."""

_REMEMBERED: Final = 32
"""How many annotations are remembered as they were read: the pods of a few workloads have the same, and are
looked at again and again."""

_TABLE: Final = (
    'table of commands; write it in YAML as cat /etc/hosts: "127.0.0.1 localhost\\n", or with stdout, '
    "stderr, exitCode and after instead of a text"
)
_FILES: Final = 'table of files; write it in YAML as /etc/hosts: "127.0.0.1 localhost\\n"'


class Unreadable(ValueError):
    """An annotation that cannot be read; the text says what it should be."""


class CannedAnswer(NamedTuple):
    """What a command does."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
    after: float = 0.0
    """In seconds: until then it does nothing."""


NO_ANSWERS: Final[Mapping[str, CannedAnswer]] = MappingProxyType({})
NO_FILES: Final[Mapping[str, str]] = MappingProxyType({})


@lru_cache(_REMEMBERED)
def read_answers(
    text: str, *, exit_code: Callable[[str], int], duration: Callable[[str], float]
) -> Mapping[str, CannedAnswer]:
    """The answers by their commands, whose words are separated by one space. Raises Unreadable."""
    answers = {}
    for command, answer in _loaded(text, _TABLE).items():
        if isinstance(answer, dict):
            known = {"stdout", "stderr", "exitCode", "after"}
            if not answer.keys() <= known:
                raise Unreadable(_TABLE)
            answers[" ".join(str(command).split())] = CannedAnswer(
                stdout=_text(answer.get("stdout", "")),
                stderr=_text(answer.get("stderr", "")),
                exit_code=exit_code(str(answer.get("exitCode", 0))),
                after=duration(str(answer.get("after", 0))),
            )
        else:
            answers[" ".join(str(command).split())] = CannedAnswer(stdout=_text(answer))
    return MappingProxyType(answers)


@lru_cache(_REMEMBERED)
def read_files(text: str) -> Mapping[str, str]:
    """Files by their paths. Raises Unreadable."""
    files = _loaded(text, _FILES)
    if not all(
        isinstance(path, str) and path.startswith("/") and isinstance(each, str)
        for path, each in files.items()
    ):
        raise Unreadable(_FILES)
    return MappingProxyType(files)


def _loaded(text: str, wanted: str) -> dict[Any, Any]:
    try:
        loaded = yaml.load(text)
    except KubewrightError:
        raise Unreadable(wanted) from None
    if not isinstance(loaded, dict):
        raise Unreadable(wanted)
    return loaded


def _text(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Unreadable(_TABLE)
    return value
