"""The client under test, as for the other tests of the client."""

from tests.conformance.api.conftest import config, use

__all__ = ["config", "use"]
