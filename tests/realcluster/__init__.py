"""The real kube-apiserver and etcd, beside which kubewright's own server is tested and measured."""
