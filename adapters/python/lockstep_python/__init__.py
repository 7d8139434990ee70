"""What the Python adapters share: seeing imports, speaking to the recorder, keeping notes. See adapters/README.md."""
