"""Claims and volumes: binding, provisioning, growth, and protection of what is used.

`binder` binds claims and volumes to each other, by the decisions of `claim_steps` and `volume_steps`;
`provisioner` makes volumes on the spot for classes of its own; `expander` lets them grow; `claim_protection`
and `volume_protection` keep what is used. `matching` says which volume is for which claim.
"""
