"""kubewright's client finds out what a server serves, and applies manifests to it."""
