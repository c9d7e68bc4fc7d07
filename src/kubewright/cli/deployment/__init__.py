"""What `install`, `uninstall`, `deploy` and `undeploy` do to a cluster.

`definitions` and `definition_changes` see to what stored objects would suffer, `checking` to what the server
would refuse, `deploying` and `undeploying` to the order of things, `namespace_contents` to what others have
in the operator's namespace, `rendering` to kustomize and the image, `rollout` to why pods do not come up.
"""
