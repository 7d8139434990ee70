/* Only its name counts: an adapter of a framework is loaded. */
int lockstep_fake_framework_adapter(void) { return 0; }
