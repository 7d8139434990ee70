#!/bin/sh
# EpilogSlurmctld of slurm.conf: a verdict beside the log of a job that failed.
#
# Slurm gives it the job's number, its exit status as CODE:SIGNAL and its user; the log's place is asked for.
set -u
case ${SLURM_JOB_EXIT_CODE2:-0:0} in 0:0) exit 0 ;; esac
log=$(scontrol show job "$SLURM_JOB_ID" 2>/dev/null | sed -n 's/^ *StdOut=//p')
[ -r "$log" ] || exit 0
# As the job's own user: a log is read, and a verdict written, with no more rights than they have.
exec runuser -u "${SLURM_JOB_USER:?}" -- sh -c 'timeout 300 lockstep diagnose "$1" > "$1.verdict" 2>&1; exit 0' sh "$log"
