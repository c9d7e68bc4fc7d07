"""What flows between a program and a pod."""
