"""The rights of an operator: what its controllers watch, and what their code requests.

`analysis` reads the source of the functions that `setup` registers, by way of `walking`, and `needs` has what
the methods of `Api` and the helpers of `kubewright.controllers` need. `derived` puts both together.
"""
