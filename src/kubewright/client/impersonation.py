"""The headers with which a caller acts for somebody else."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from kubewright.config import Impersonation

__all__ = ["impersonation_headers"]


def impersonation_headers(acting_for: Impersonation | None) -> Sequence[tuple[str, str]]:
    """The headers; none for None."""
    if acting_for is None:
        return ()
    headers = [("Impersonate-User", acting_for.user)]
    if acting_for.uid:
        headers.append(("Impersonate-Uid", acting_for.uid))
    headers += [("Impersonate-Group", group) for group in acting_for.groups]
    for key, values in acting_for.extra.items():
        # Keys may hold what names of headers may not.
        name = f"Impersonate-Extra-{quote(key, safe='')}"
        headers += [(name, value) for value in values]
    return headers
