#!/bin/sh
# The first of two nodes, two ranks on each.
export GLOO_SOCKET_IFNAME=lo
torchrun --nnodes 2 --node-rank 0 --nproc-per-node 2 --master-addr NODE0 --master-port PORT0 lab/demo/jobs/trains.py
