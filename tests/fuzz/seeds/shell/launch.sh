#!/bin/bash
#SBATCH --nodes=2
export A="x ${B:-"8"}"; ARR=(--a "b c" $X); ARR+=(z)
f() { local n=$1; A=$n torchrun "${ARR[@]}" --x=$((2 * n)) t.py > log 2>&1 & }
if [[ $N -gt 1 && -z "$X" ]]; then f 1; elif [ -f x ]; then f 2; else f 3; fi
case "$A" in x*) eval "$A" ;; *) bash -c "srun $A" ;; esac
for ((i = 0; i < 3; i++)); do ssh n$i "cmd ${A%%.*}"; done; wait
sbatch <<EOF
srun $(hostname | head -n 1) ${ARR[0]/a/b}
EOF
