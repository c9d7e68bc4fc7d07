"""Custom resources declared as Python types: servers and the types must say the same of every object."""
