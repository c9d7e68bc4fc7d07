"""Workloads: ReplicaSets and ReplicationControllers that keep pods, and Deployments that keep ReplicaSets.

What is to be done is computed by functions without I/O, from objects to decisions; the reconcile functions
read, ask them, and write.
"""
