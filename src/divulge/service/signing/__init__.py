"""Who signs checkpoints: this process, or another that alone has the private key."""
