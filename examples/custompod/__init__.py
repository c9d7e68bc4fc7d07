"""An operator: keeps as many pods for each CustomPod as it asks for: `python -m examples.custompod --help`.

`types` has the kind, `controller` what brings its pods about, `webhook` what is refused before it is stored,
and `story` shows the operator at work. `make demo` is `demo`, with the steps of `demonstration` and what is
seen of them in `live`. Its manifests are made from the code:
`kubewright manifests --package examples.custompod --setup examples.custompod.controller:setup`.
"""
