"""Tells the Lockstep recorder where a fit of Keras is: epochs, batches, evaluations, checkpoints. See
adapters/README.md."""
