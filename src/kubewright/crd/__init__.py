"""Custom resources as data: what a CustomResourceDefinition's schema makes of an object.

The API server prunes, defaults and validates custom resources with these rules, and a program can do the same
without one: tests, generators and admission webhooks want the server's answer before they ask it. So they
stand below the server and import only `machinery`; there is no I/O here.

`structural` reads an `openAPIV3Schema`; `pruning`, `defaulting` and `validation` apply it to an object, in
this order, as the server does.
"""

from __future__ import annotations
