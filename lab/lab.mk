# The lab: real frameworks on real ranks.
.PHONY: lab-deps

lab-deps: deps   ## make the lab's Python environments and programs
	@lab/envs/make_envs
	@lab/jobs/compile mpi_ring
