"""The clients that are measured: each module does the same three things through one library.

Each has `listed(kubeconfig, namespace)`, which gives the number of pods and keeps them, and async functions
`gets(kubeconfig, namespace, name, count, flight)` and `creates(kubeconfig, namespace, pod, count, flight)`.
"""
