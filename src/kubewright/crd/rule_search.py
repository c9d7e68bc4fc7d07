"""Which parts of a schema have rules in CEL: most have none, and nothing need be made for those."""

from __future__ import annotations

from typing import Final

import msgspec

__all__ = ["may_have_rules"]

_encoder: Final = msgspec.json.Encoder()
_KEYWORD: Final = b'"x-kubernetes-validations"'


def may_have_rules(schema: object) -> bool:
    """False if there is no rule in a schema or anywhere within; True if there may be one.

    The schema of a template of pods has a thousand parts. Its JSON is made and searched a hundred times
    faster than they are walked, and that the keyword stands in it as something else is rare.
    """
    try:
        return _KEYWORD in _encoder.encode(schema)
    except (TypeError, ValueError, RecursionError):
        return True
