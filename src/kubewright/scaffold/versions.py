"""Which of two versions of kubewright is the newer one."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_newer"]

_VERSION: Final = re.compile(
    r"(?P<release>\d{1,9}(?:\.\d{1,9}){0,9})(?:(?P<pre>a|b|rc)(?P<number>\d{1,9}))?"
    r"(?:\.post(?P<post>\d{1,9}))?(?:\.dev(?P<dev>\d{1,9}))?(?:\+[a-z0-9.]*)?"
)
"""Versions as Python packages have them (PEP 440), in their normal form."""

_PRE_RELEASES: Final = {"a": 0, "b": 1, "rc": 2}
_RELEASE: Final = 3
"""The release itself comes after its pre-releases."""


def is_newer(version: str, than: str) -> bool:
    """Whether a version comes after another, by PEP 440; one that cannot be read is taken for newer."""
    one, two = _order(version), _order(than)
    return one is None or (two is not None and one > two)


def _order(version: str) -> tuple[object, ...] | None:
    found = _VERSION.fullmatch(version)
    if found is None:
        return None
    release = [int(number) for number in found["release"].split(".")]
    while release and release[-1] == 0:  # 1.0 and 1 are the same.
        release.pop()
    pre, post, dev = found["pre"], found["post"], found["dev"]
    stage = _PRE_RELEASES[pre] if pre else _RELEASE
    if pre is None and post is None and dev is not None:
        stage = -1  # 1.0.dev1 comes before 1.0a1.
    return (
        release,
        stage,
        int(found["number"] or 0),
        -1 if post is None else int(post),
        (1, 0) if dev is None else (0, int(dev)),
    )
