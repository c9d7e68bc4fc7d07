"""Custom resources in the server: what its controllers make of definitions, and how the resources are served.

The rules of controllers are pure functions here, of a definition and its neighbours; what runs them stands
beside them.
"""

from __future__ import annotations
