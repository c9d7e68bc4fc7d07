"""The API server that runs inside the process.

It exists so that whatever talks to Kubernetes can be written, tried and tested with no cluster: kubectl and
clients in any language find in it the semantics of kube-apiserver, it starts in a fraction of a second, and
the project's own tests run on it in the place of a fake.
"""
