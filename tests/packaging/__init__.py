"""What is published: the wheel and the sdist, built, installed and run as users do."""
