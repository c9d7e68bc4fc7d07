"""Nodes that pretend to run pods: no process starts, but all that a kubelet tells of pods is told."""
