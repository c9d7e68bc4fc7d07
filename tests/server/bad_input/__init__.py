"""What hostile or broken clients send: every answer is a proper refusal, and the server goes on serving."""
