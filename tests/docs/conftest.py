"""Fixtures of the tests of pages."""

from tests.packaging.installed import installed

__all__ = ["installed"]
