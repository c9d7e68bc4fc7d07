"""Fixtures of the tests of what is published."""

from tests.packaging.installed import installed

__all__ = ["installed"]
