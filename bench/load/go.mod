module kubewright.dev/bench/load

go 1.24
