"""Which images are "latest", and so are pulled always: those that name no other tag and no digest."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_latest_image"]

# The grammar of image references, as the distribution project gives it.
_DOMAIN_PART: Final = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_DOMAIN: Final = rf"(?:{_DOMAIN_PART}(?:\.{_DOMAIN_PART})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PATH_PART: Final = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_NAME: Final = re.compile(rf"(?:({_DOMAIN})/)?({_PATH_PART}(?:/{_PATH_PART})*)", re.ASCII).fullmatch
_IDENTIFIER: Final = re.compile(r"[a-f0-9]{64}").fullmatch
_DIGEST: Final = re.compile(r"sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128}").fullmatch

_MAX_PATH: Final = 255
"""The distribution project's RepositoryNameTotalLengthMax."""


def is_latest_image(image: str) -> bool:
    """Whether an image's tag is "latest", said or not said; False for what is no image reference.

    A reference that cannot be parsed has no tag for upstream, so it is not pulled always either.
    """
    slash = image.rfind("/")
    at = image.find("@", slash + 1)
    named = image if at < 0 else image[:at]
    colon = named.find(":", slash + 1)
    if colon >= 0:
        if named[colon + 1 :] != "latest":
            return False
        name = named[:colon]
    elif at >= 0:
        return False
    else:
        name = named
    if at >= 0 and _DIGEST(image[at + 1 :]) is None:
        return False
    return _is_name(name) and not (colon < 0 and _IDENTIFIER(image) is not None)


def _is_name(name: str) -> bool:
    first, slash, rest = name.partition("/")
    if not slash:
        domain, path = "docker.io", f"library/{name}"
    elif first == "localhost" or "." in first or ":" in first or first.lower() != first:
        domain, path = first, rest
    else:
        domain, path = "docker.io", name
    if domain == "index.docker.io":
        domain = "docker.io"
    if domain == "docker.io" and "/" not in path:
        path = f"library/{path}"
    if path.lower() != path:
        return False
    match = _NAME(f"{domain}/{path}")
    return match is not None and len(match[2]) <= _MAX_PATH
