"""What kubewright costs, against its peers, as ratios of one run."""
