"""Small programs, one idea each. Every one of them is run by a test."""
