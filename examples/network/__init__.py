"""A controller for a custom resource, with a generated client: `python -m examples.network --help`.

`types` has the kind, `client` is what `kubewright generate client --package examples.network` makes of it,
`controller` uses both, and `story` shows what the controller does.
"""
