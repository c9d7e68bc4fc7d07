"""The nouns and rules of the Kubernetes API, without I/O.

Everything that can be decided without a socket is decided here, so that client, server and controllers
share one set of rules and those rules are tested without an event loop.
"""
