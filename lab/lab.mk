# The lab: real frameworks on real ranks.
.PHONY: lab-deps bench-verdicts demo demo-logs demo-check demo-replay demo-submit test-gpu test-gpu-replay test-gpu-travel test-healthy test-service test-kills test-slurm bench-slurm kubernetes-deps test-kubernetes lab lab-peers test-jobs test-network test-cluster

lab-deps: deps   ## make the lab's Python environments and programs
	@lab/envs/make_envs
	@lab/envs/criu >/dev/null
	@lab/jobs/compile mpi_ring

# The demos make what they need by themselves, and no more: PyTorch alone of the lab, of the packages those of the build.
demo:            ## from nothing to a verdict in 5 minutes: run a real job that hangs, and say who began it
	@lab/demo/make_ready $@ && lab/demo/run

demo-logs:       ## the logs of a failed job, as somebody sends them: which rank began it, and where
	@lab/demo/make_ready $@ && lab/demo/logs

demo-check:      ## a launch with mistakes: found and mended before it starts
	@lab/demo/make_ready $@ && lab/demo/check

demo-replay:     ## record a job, run one rank of it again alone, find the step and the cause of a nan
	@lab/demo/make_ready $@ && lab/demo/replay

demo-submit:     ## hand a script to the service, which finds out why it cannot run, and mends it
	@lab/demo/make_ready $@ && lab/demo/submit

lab: lab-deps build   ## run every fault of lab/faults, recorded and not, and write the score to docs/lab.md (25 minutes on two idle cores)
	@cmake --build --preset release --target lockstep_native_lab
	@lab/faults/run; lab/faults/run --report

lab-peers: lab-deps build   ## ask what other tools say of the lab's faults, and add it to docs/lab.md
	@lab/faults/run --peers; lab/faults/run --report

bench-verdicts: lab-deps build   ## measure how soon faults of TensorFlow, Keras and Horovod jobs are named, and by which code
	@tests/bench/verdict_times build/release

test-gpu:        ## on a machine with a GPU: NCCL and PyTorch jobs of 2, 4 and 8 ranks, healthy and broken, and the cost (8 minutes)
	@python3 lab/gpu/test

test-gpu-replay: build   ## on a machine with a GPU: NCCL jobs recorded with payload, each rank replayed alone (5 minutes)
	@lab/gpu/replay

test-gpu-travel: build   ## on a machine with a GPU, as root, with LOCKSTEP_CRIU: a replayed rank frozen with what it has there, and gone on from (one minute)
	@lab/gpu/travel

test-jobs: lab-deps build   ## every healthy job under every launcher, with and without the recorder; `make test` runs each job once (ten minutes)
	@cmake --build --preset release --target lockstep_native_lab
	@/usr/bin/python3 -B -m pytest -q -p no:cacheprovider tests/e2e/healthy_jobs_test.py

test-network: lab-deps build   ## the libraries' real choices and real packets on many layouts and rule sets, 200 hosts probed
	@cmake --build --preset release --target network_program
	@LOCKSTEP_LAYOUTS=60 LOCKSTEP_RULE_SETS=100 /usr/bin/python3 -B -m pytest -q -p no:cacheprovider \
	tests/e2e/network_test.py tests/e2e/network_choices_test.py tests/e2e/network_horovod_test.py tests/e2e/network_long_test.py tests/e2e/probe_test.py tests/e2e/probe_long_test.py

test-cluster: lab-deps build   ## break clusters of namespaces in some sixty ways: the real job fails, check names why, and it works as repaired (half an hour)
	@lab/cluster/run

test-healthy: lab-deps build   ## run a hundred healthy jobs under lockstep run on a busy machine: nothing may be said of any
	@lab/healthy 100

test-slurm: lab-deps build   ## jobs of every framework through a real Slurm of four nodes; nodes that die, cancel, restarts (five minutes)
	@LOCKSTEP_FRAMEWORKS=all /usr/bin/python3 -B -m pytest -q -p no:cacheprovider tests/e2e/slurm_test.py tests/e2e/slurm_accounts_test.py \
	tests/e2e/slurm_signals_test.py tests/e2e/slurm_kills_test.py

kubernetes-deps: deps   ## install what the lab's Kubernetes needs, and build it from Debian's source package unless it is built (minutes, once)
	@tools/install_deps lab/kubelab/debian-packages.txt
	@lab/kubelab/make_kubernetes

test-kubernetes: lab-deps build kubernetes-deps   ## PyTorch through a real Kubernetes of three nodes; failures, a node that dies, cancel, restarts (four minutes)
	@/usr/bin/python3 -B -m pytest -q -p no:cacheprovider tests/e2e/kubernetes_test.py tests/e2e/kubernetes_agents_test.py

bench-slurm: lab-deps build   ## from handing a job in to its ranks at work, through the service and by sbatch and srun alone
	@tests/bench/slurm_start_bench build/release

test-kills: build   ## 300 kill -9 of the service and of its jobs' supervisors: nothing is lost, nothing runs twice (an hour on two busy cores)
	@LOCKSTEP_KILLS=300 /usr/bin/python3 -B -m pytest -q -rA -p no:cacheprovider tests/e2e/service_kills_test.py

test-service: lab-deps page-deps build   ## every test of the service: jobs of every framework, 200 kill -9 of it under load, five minutes of schemathesis, the page
	@LOCKSTEP_FRAMEWORKS=all LOCKSTEP_KILLS=200 LOCKSTEP_SCHEMATHESIS_SECONDS=300 /usr/bin/python3 -B -m pytest -q -p no:cacheprovider \
	tests/e2e/service_test.py tests/e2e/service_openapi_test.py tests/e2e/service_care_test.py tests/e2e/service_hardship_test.py tests/e2e/service_kills_test.py tests/e2e/service_tls_test.py tests/e2e/service_page_test.py
