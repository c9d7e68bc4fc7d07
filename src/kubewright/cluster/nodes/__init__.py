"""The nodes of a cluster: those that pretend, and what happens to any whose kubelet is silent."""
