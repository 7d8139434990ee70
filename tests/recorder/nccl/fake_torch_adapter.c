/* Only its name counts: the PyTorch adapter is loaded. */
int lockstep_fake_torch_adapter(void) { return 0; }
