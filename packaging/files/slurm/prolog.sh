#!/bin/sh
# TaskProlog of slurm.conf: what it prints as "export" is set in every task. Puts Lockstep, unpacked on a shared disk, on the path
# of all jobs: `lockstep run` before the command of a step is then all that records it.
lockstep=${LOCKSTEP_HOME:-/opt/lockstep}
[ ! -x "$lockstep/bin/lockstep" ] || echo "export PATH=$PATH:$lockstep/bin"
