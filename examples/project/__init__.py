"""A custom resource from its type to its cache: `python -m examples.project --help`.

`types` has the kind, `story` what is done with it.
"""
