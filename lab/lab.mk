# The lab: real frameworks on real ranks.
.PHONY: lab-deps demo test-gpu

lab-deps: deps   ## make the lab's Python environments and programs
	@lab/envs/make_envs
	@lab/jobs/compile mpi_ring

demo: deps lab-deps build   ## run a job that hangs and show what is known of it
	@lab/demo/run

test-gpu:        ## build the recorder and run the PyTorch jobs over NCCL, on a machine with a GPU
	@cmake -S recorder -B build/recorder >/dev/null && cmake --build build/recorder
	@LOCKSTEP_LAB_PYTHON="$$(command -v python3)" python3 lab/gpu/run
