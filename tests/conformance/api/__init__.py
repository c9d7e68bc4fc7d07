"""kubewright's own client, on both servers."""
