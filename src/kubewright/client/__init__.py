"""Typed, dynamic and raw access to an API server, async; `kubewright.sync` is the blocking form.

`client` has the entry, `api` what can be done with the objects of a kind; below them `sender` sees to it that
requests arrive, and `transport` has the connections. Requests and their answers are values (`request`), and
what can be decided without a connection is (`retry`, `forms`, `endpoint`).
"""
