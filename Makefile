# The developer's front door. Everything is built by CMake; this file only names the common trips.

.DEFAULT_GOAL := build
.PHONY: help deps build

help:            ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

deps:            ## install the missing Debian packages (root)
	@tools/install_deps

-include lab/lab.mk
