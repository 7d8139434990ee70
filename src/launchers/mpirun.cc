// mpirun and mpiexec, of Open MPI 3 to 5 and of MPICH, MVAPICH and Intel MPI (Hydra).
#include "config/launchers/tables.h"

namespace lockstep::config {
namespace {

constexpr LauncherFlag kFlags[] = {
    // Both families.
    {"-n --n -np --np -c", 1, Fate::kDrop},
    {"-H -host --host -hosts --hosts -hostfile --hostfile -machinefile --machinefile -f", 1, Fate::kDrop},
    {"-bind-to --bind-to -map-by --map-by -rank-by --rank-by", 1, Fate::kDrop},
    {"-wdir --wdir -wd --wd -path --path", 1},
    {"-v --verbose -q --quiet", 0, Fate::kDrop},
    // Open MPI.
    {"-x", 1},
    {"-mca --mca -gmca --gmca -omca --omca -prtemca --prtemca -pmixmca --pmixmca", 2, Fate::kDrop},
    {"-am -tune --tune -default-hostfile --default-hostfile -rf -rankfile --rankfile", 1, Fate::kDrop},
    {"-N -npernode --npernode -npersocket --npersocket -ppr --ppr", 1, Fate::kDrop},
    {"-pernode --pernode -bynode --bynode -byslot --byslot -bycore --bycore", 0, Fate::kDrop},
    {"-nolocal --nolocal -oversubscribe --oversubscribe -nooversubscribe --nooversubscribe", 0, Fate::kDrop},
    {"-bind-to-core --bind-to-core -bind-to-socket --bind-to-socket -bind-to-none --bind-to-none", 0,
     Fate::kDrop},
    {"-use-hwthread-cpus --use-hwthread-cpus -report-bindings --report-bindings", 0, Fate::kDrop},
    {"-cpu-list --cpu-list -cpu-set --cpu-set -cpus-per-proc --cpus-per-proc", 1, Fate::kDrop},
    {"-cpus-per-rank --cpus-per-rank -cf --cartofile -max-vm-size --max-vm-size", 1, Fate::kDrop},
    {"-output-filename --output-filename -output --output -xml-file --xml-file", 1, Fate::kDrop},
    {"-tag-output --tag-output -timestamp-output --timestamp-output -xml --xml", 0, Fate::kDrop},
    {"-display-map --display-map -display-allocation --display-allocation", 0, Fate::kDrop},
    {"-display-topo --display-topo -show-progress --show-progress", 0, Fate::kDrop},
    {"-display --display -report-uri --report-uri -report-pid --report-pid", 1, Fate::kDrop},
    {"-debug-daemons --debug-daemons -d -debug-devel --debug-devel", 0, Fate::kDrop},
    {"-leave-session-attached --leave-session-attached -do-not-resolve --do-not-resolve", 0, Fate::kDrop},
    {"-enable-recovery --enable-recovery -disable-recovery --disable-recovery", 0, Fate::kDrop},
    {"-continuous --continuous -novm --novm -use-regexp --use-regexp", 0, Fate::kDrop},
    {"-debug-daemons-file --debug-daemons-file -display-devel-allocation --display-devel-allocation", 0,
     Fate::kDrop},
    {"-display-devel-map --display-devel-map -display-diffable-map --display-diffable-map", 0, Fate::kDrop},
    {"-enable-instant-on-support --enable-instant-on-support -fwd-mpirun-port --fwd-mpirun-port", 0,
     Fate::kDrop},
    {"-output-proctable --output-proctable -report-child-jobs-separately --report-child-jobs-separately", 0,
     Fate::kDrop},
    {"-report-state-on-timeout --report-state-on-timeout -s -preload-binary --preload-binary", 0,
     Fate::kDrop},
    {"-preload-files --preload-files -report-events --report-events", 1, Fate::kDrop},
    {"-launch-agent --launch-agent -max-restarts --max-restarts", 1, Fate::kDrop},
    {"-hnp --hnp -dvm-uri --dvm-uri -ompi-server --ompi-server -xterm --xterm", 1, Fate::kDrop},
    {"-merge-stderr-to-stdout --merge-stderr-to-stdout -get-stack-traces --get-stack-traces", 0},
    {"-allow-run-as-root --allow-run-as-root -noprefix --noprefix", 0},
    {"-prefix --prefix -personality --personality -timeout --timeout -stdin --stdin", 1},
    {"-index-argv-by-rank --index-argv-by-rank -set-cwd-to-session-dir --set-cwd-to-session-dir", 0},
    {"-debug --debug -tv --tv -do-not-launch --do-not-launch -dvm --dvm", 0, Fate::kRefuse,
     "with it no job runs by itself"},
    {"-debugger --debugger", 1, Fate::kRefuse, "with it no job runs by itself"},
    {"-app --app", 1, Fate::kRefuse, "the programs stand in a file, and there may be several"},
    // MPICH, MVAPICH, Intel MPI.
    {"-genv -env --genv --env", 2},
    {"-genvlist -envlist --genvlist --envlist", 1},
    {"-genvall -genvnone -envall -envnone --genvall --genvnone --envall --envnone", 0},
    {"-ppn --ppn -perhost --perhost -grr -rr -iface --iface -launcher --launcher -rmk --rmk", 1, Fate::kDrop},
    {"-bootstrap --bootstrap -launcher-exec --launcher-exec -bootstrap-exec --bootstrap-exec", 1,
     Fate::kDrop},
    {"-membind --membind -topolib --topolib -demux --demux -outfile-pattern -errfile-pattern", 1,
     Fate::kDrop},
    {"-l -prepend-rank --prepend-rank -print-all-exitcodes --print-all-exitcodes", 0, Fate::kDrop},
    {"-prepend-pattern --prepend-pattern -hosts-group", 1, Fate::kDrop},
    {"-configfile --configfile", 1, Fate::kRefuse, "the programs stand in a file, and there may be several"},
};

}  // namespace

const LauncherTable kMpirunFlags{"mpirun", kFlags, {}};

}  // namespace lockstep::config
