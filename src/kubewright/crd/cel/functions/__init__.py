"""The functions of Kubernetes' CEL environment."""
