"""The same random requests to kubewright's server and to a real kube-apiserver, and their answers compared.

A sequence is made of its seed alone, before anything is sent, so that it can be replayed and its steps left
out one by one until only those are left that show a difference. `python -m tests.conformance.fuzz --help`.
"""
