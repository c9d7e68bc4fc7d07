"""The columns that `kubectl get` shows: each kind's own view of its objects, as rows of a Table.

One module per API group, with `PRINTERS: Mapping[str, Printer]` by resource; they are imported when a table
is first asked for. What a cell says is what upstream's pkg/printers/internalversion puts there; what columns
are for is not said, since kubectl shows it nowhere. Those of custom resources are made by
`custom.crd_printer`.
"""

from kubewright.server.tables.printer import DEFAULT, Printer, printer

__all__ = ["DEFAULT", "Printer", "printer"]
