"""The two servers, for operators that run on either."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.controllers.conftest import server

if TYPE_CHECKING:
    from tests.realcluster.server import RealServer

__all__ = ["server"]


@pytest.fixture(scope="session")
def real_server() -> Iterator[RealServer]:
    """One of their own: a definition that a test deletes stays for ever where others have left finalizers."""
    from tests.realcluster.server import RealServer

    with RealServer(fsync=False) as made:
        yield made
