"""The client without `await`, for scripts and notebooks: `from kubewright.sync import Client`.

The same names, arguments and errors as `kubewright.Client`, which does the work in a thread of its own; so it
can be used where an event loop runs already. Everything is closed when the `with` block of the client ends.
"""

from __future__ import annotations

from kubewright.sync.api import Api
from kubewright.sync.client import Client
from kubewright.sync.listing import Listing

__all__ = ["Api", "Client", "Listing"]
