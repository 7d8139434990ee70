# The developer's front door. Everything is built by CMake; this file only names the common trips.

.DEFAULT_GOAL := build
.PHONY: help deps build-deps build test test-fast test-replay fuzz fuzz-files inject-faults bench bench-service check cross-validate page page-deps portable prebuilt wheel dist test-dist screenshot install clean
PREFIX ?= /usr/local

help:            ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

deps:            ## install the missing Debian packages of every list in deps/ (needs root when there are any)
	@tools/install_deps

build-deps:      ## install those that building needs
	@tools/install_deps build

build: build-deps   ## build what `make install` installs: build/release/lockstep, the recorder, man pages
	@tools/configure_release >/dev/null
	@cmake --build --preset release --target product
	@[ -z "$$(tools/install_deps --missing mpi)" ] || echo "build: without the MPI adapter: 'tools/install_deps mpi' as root brings what it needs"

test: deps lab-deps page-deps   ## run every test: unit, case, record, end to end, sanitizers, fuzz smoke
	@tools/run_tests

test-fast: deps  ## run what needs no training job: unit, case and record tests, gates (two minutes after a build)
	@tools/run_tests fast

test-replay: lab-deps build   ## record every job of the lab by every launcher, replay each rank alone; catch a race
	@LOCKSTEP_REPLAY_ALL=1 /usr/bin/python3 -B -m pytest -q -p no:cacheprovider tests/e2e/replay_test.py \
	tests/e2e/replay_frameworks_test.py tests/e2e/mpi_replay_test.py tests/e2e/replay_race_test.py

fuzz: deps       ## look for inputs that break a decoder, FUZZ_SECONDS (300) for each
	@tools/fuzz $(or $(FUZZ_SECONDS),300)

fuzz-files: build   ## give the real command files with something wrong in them, FUZZ_SECONDS (300) long
	@tests/fuzz/files/fuzz_files build/release/lockstep --seconds $(or $(FUZZ_SECONDS),300)

inject-faults: build   ## let every call to the system fail once, under diagnose, run and serve
	@cmake --build --preset release --target inject
	@tests/faults/inject_faults build/release/lockstep build/release/tests/faults/inject.so

bench: deps lab-deps page-deps   ## measure the costs and compare them with their goals
	@cmake --preset release >/dev/null
	@cmake --build --preset release
	@tests/bench/goals build/release; status=$$?; tests/bench/log_bench build/release || status=1; \
	tests/bench/analyser_bench build/release || status=1; \
	tests/bench/payload_bench build/release || status=1; \
	tests/bench/framework_payload build/release || status=1; \
	tests/bench/travel_bench build/release || status=1; \
	tests/bench/probe_bench build/release || status=1; \
	LOCKSTEP_PAGE_MODULES=$$(tools/page_modules) node tests/bench/page_frames.mjs && exit $$status

page: page-deps  ## build page/dist/page.html from page/src
	@tools/build_page

page-deps:       ## fetch the npm packages that build and test the page
	@tools/install_deps page
	@tools/page_modules >/dev/null

screenshot: page-deps demo   ## make the pictures of README and docs: the demo's job as the page shows it
	@tools/make_screenshot

bench-service: lab-deps build   ## the service under load: 10,000 queued jobs, 5,000 log streams, 200 submits a second
	@tests/bench/service_bench build/release

cross-validate: deps   ## what diagnose is worth on sources it did not learn from; CORPUS="texts.jsonl folder-of-logs"
	@test -n "$(CORPUS)" || { echo "make cross-validate CORPUS=...: the labelled faults are not part of the tree" >&2; exit 2; }
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target judge_lines
	@tests/corpus/judge_report build/release/tests/corpus/judge_lines $(CORPUS)

check: deps      ## every gate that needs no training job: Clang and GCC, clang-tidy, sanitizers, layers, format
	@tools/check

portable:        ## build for any Linux with glibc 2.17: build/portable-ARCH/root
	@tools/install_deps build packaging/debian-packages.txt
	@packaging/portable/build

prebuilt:        ## compile the recorder's native half for every known release of PyTorch and TensorFlow
	@tools/install_deps build packaging/debian-packages.txt
	@packaging/prebuilt/build

wheel:           ## write build/dist/lockstep_training-*.whl, which pip installs without compiler or root
	@tools/install_deps build packaging/debian-packages.txt
	@packaging/stage
	@packaging/make_wheel

dist:            ## write every package, with checksums and a bill of materials, into build/dist
	@tools/install_deps build packaging/debian-packages.txt
	@packaging/dist

test-dist:       ## install the packages on fresh Debian 11, 12 and 13 as an ordinary user, and run a job there (needs root)
	@tools/install_deps build packaging/debian-packages.txt
	@packaging/test/run

install: build   ## install binary, man pages and completions below PREFIX
	@cmake --install build/release --strip --prefix $(PREFIX)

clean:           ## remove what was built; caches outside the tree stay
	@rm -rf build

include lab/lab.mk
