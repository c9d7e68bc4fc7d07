"""What is served, and how a request on it is carried out."""
