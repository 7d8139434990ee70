"""Tells the Lockstep recorder what PyTorch does in this process. Loaded by the environment alone; see adapters/README.md."""
