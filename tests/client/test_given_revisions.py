"""A watch from a text that is no revision: the mistake of who gave it, or the server's own."""

from __future__ import annotations

from random import Random

import pytest

from kubewright.client.list_watch import ListWatch
from kubewright.machinery.errors import ApiError, ParseError, error_from_status
from kubewright.machinery.status import Status


def requests(start: str) -> ListWatch:
    return ListWatch(start=start, random=Random(1))  # noqa: S311 - the same in every run


def no_revision(text: str) -> ApiError:
    """What API servers say to a watch from a text that is no revision: a 500 without a reason."""
    why = f'resourceVersion: Invalid value: "{text}": strconv.ParseUint: parsing "{text}": invalid syntax'
    return error_from_status(Status(status="Failure", code=500, message=why))


def test_a_given_revision_that_is_none_is_not_tried_again() -> None:
    made = requests("abc")
    made.options()
    with pytest.raises(ParseError, match="resource_version='abc' is no revision for the server; give the"):
        made.failed(no_revision("abc"), lasted=0)


def test_a_revision_that_the_server_gave_is_tried_again() -> None:
    made = requests("5")
    made.followed("v6")
    made.failed(no_revision("v6"), lasted=0)
    assert made.options().resource_version == "v6"
