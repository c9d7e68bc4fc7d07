"""A controller of a custom resource, with a generated client: `python -m examples.network --help`.

`types` has the kind, `client` is what `kubewright generate client --package examples.network` makes of it,
`controller` brings networks about, `addresses` knows which addresses are taken, and `story` shows all of it.
"""
