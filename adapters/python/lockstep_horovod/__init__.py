"""Tells the Lockstep recorder what Horovod does in this process. Loaded by the environment alone; see adapters/README.md."""
