"""`python -m kubewright`, the same as the command `kubewright`."""

from kubewright.cli import main

main()
