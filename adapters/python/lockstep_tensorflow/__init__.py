"""Tells the Lockstep recorder what TensorFlow does in this process. Loaded by the environment alone; see
adapters/README.md."""
