"""HTTP/1.1 over sockets of our own, for everything but WebSockets and proxies.

One call writes a request to the socket, one reads its answer, and no task, timer or buffer of a general HTTP
client stands between: `python -m bench controllers` measures what that saves.
"""

from __future__ import annotations
