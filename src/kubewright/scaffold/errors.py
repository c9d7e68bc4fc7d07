"""What goes wrong with projects."""

from __future__ import annotations

from kubewright.machinery.errors import KubewrightError

__all__ = ["NotAProject", "ScaffoldError", "WrongName"]


class ScaffoldError(KubewrightError):
    """Something that cannot be done to a project; the message says in one sentence what to do instead."""


class WrongName(ScaffoldError):
    """A name that a project or a part of it cannot have; the message says which one it could have."""


class NotAProject(ScaffoldError):
    """A folder that no scaffold was made in."""
