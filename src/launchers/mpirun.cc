// mpirun and mpiexec, of Open MPI 3 to 5 and of MPICH, MVAPICH and Intel MPI (Hydra).
#include <algorithm>
#include <unistd.h>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "launchers/launcher.h"
#include "launchers/one_rank.h"
#include "launchers/place.h"
#include "launchers/rank_variables.h"

namespace lockstep::launchers {
namespace {

constexpr LauncherFlag kMpirunFlags[] = {
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
constexpr LauncherTable kMpirunTable{"mpirun", kMpirunFlags, {}};

// What each of a group says, said by the first.
constexpr std::string_view kMpirunSameMeaning[] = {
    "np n c",
    "hosts H host",
    "hostfile machinefile f default_hostfile",
    "npernode N ppn perhost",
};

constexpr std::string_view kMpirunVariables[] = {
    "OMPI_COMM_WORLD_", "PMI_", "PMIX_", "MV2_COMM_WORLD_", "MPI_LOCALNRANKS", "MPI_LOCALRANKID"};

// A variable that the launcher hands to its ranks and that has a new value now: -x NAME=OLD goes, -x NAME
// stays and carries the new one; -genv NAME OLD goes.
void take_out_changed(Words& kept, Words& left_out, const std::vector<Change>& changes) {
  Words remaining;
  for (std::size_t at = 0; at < kept.size(); ++at) {
    const std::string& flag = kept[at];
    const bool is_assignment =
        flag == "-x" && at + 1 < kept.size() && kept[at + 1].find('=') != kept[at + 1].npos;
    const bool is_pair = flag.ends_with("env") && flag.front() == '-' && at + 2 < kept.size();
    const std::size_t length = is_pair ? 3 : is_assignment ? 2 : 1;
    std::string name;
    if (is_pair || is_assignment) name = kept[at + 1].substr(0, kept[at + 1].find('='));
    const bool is_changed =
        std::ranges::any_of(changes, [&](const Change& change) { return change.name == name; });
    Words& target = is_changed ? left_out : remaining;
    append(target, std::span(kept).subspan(at, length));
    at += length - 1;
  }
  kept = std::move(remaining);
}

// The variables as the ranks would see them.
Environment with_handed_on(Environment environment, const Words& kept) {
  for (std::size_t at = 0; at + 1 < kept.size(); ++at) {
    const std::size_t equals = kept[at + 1].find('=');
    if (kept[at] == "-x" && equals != std::string::npos) {
      environment[kept[at + 1].substr(0, equals)] = kept[at + 1].substr(equals + 1);
    }
    if (kept[at].ends_with("env") && at + 2 < kept.size()) environment[kept[at + 1]] = kept[at + 2];
  }
  return environment;
}

Result<void> reduce_for_mpirun(const Launched& launched, const Launch& launch, Control& control) {
  SplitForOne split = TRY(split_for_one(launched.words, kMpirunTable));
  if (std::ranges::find(split.program, ":") != split.program.end()) {
    return cannot_reduce(":", "it starts several programs side by side");
  }
  const Environment environment = with_handed_on(launch.environment, split.kept);
  const std::vector<Change> changes = torch_variables_for_one(environment, launch.free_port);
  take_out_changed(split.kept, split.dropped, changes);
  add_launcher(control, "mpirun");
  append(control.command, launched.head);
  append(control.command, {"-np", "1"});
  append(control.command, split.kept);
  append(control.left_out, split.dropped);
  add_changes(control, that_matter(changes, launch.environment));
  return reduce_command(split.program, launch, control);
}

// The host in "1234.0;tcp://10.0.0.1,192.168.0.1:55397;tcp6://...", where mpirun is.
std::string host_in_uri(const std::string& uri) {
  const std::string_view rest = base::rest_after(uri, "tcp://");
  return std::string(rest.substr(0, rest.find_first_of(",:")));
}

}  // namespace

// mpirun runs where rank 0 does, unless its hosts are others than its own.
std::optional<JobPlace> place_by_open_mpi(const Launch& launch) {
  const auto rank = number(launch.environment, kOpenMpiRank.rank);
  const auto size = number(launch.environment, kOpenMpiRank.world_size);
  if (!rank || !size) return std::nullopt;
  JobPlace place{.index = rank, .count = *size, .head = {}, .launcher = "mpirun"};
  std::string host = host_in_uri(variable(launch.environment, "OMPI_MCA_orte_hnp_uri").value_or(""));
  if (host.empty() && number(launch.environment, "OMPI_COMM_WORLD_LOCAL_SIZE") == size) host = "127.0.0.1";
  const std::string job = variable(launch.environment, "PMIX_NAMESPACE").value_or("");
  if (!host.empty()) place.head = base::HostPort{.host = std::move(host), .port = port_from("mpirun " + job)};
  return place;
}

// Only the ranks of one host have something in common: the process that started them.
std::optional<JobPlace> place_by_mpich(const Launch& launch) {
  const auto rank = number(launch.environment, kMpichRank.rank);
  const auto size = number(launch.environment, kMpichRank.world_size);
  if (!rank || !size) return std::nullopt;
  JobPlace place{.index = rank, .count = *size, .head = {}, .launcher = "mpiexec"};
  if (number(launch.environment, "MPI_LOCALNRANKS") == size) {
    place.head =
        base::HostPort{.host = "127.0.0.1", .port = port_from(fmt::format("mpiexec {}", ::getppid()))};
  }
  return place;
}

const Launcher kMpirun{
    .section = "mpi",
    .programs =
        " mpirun mpiexec mpiexec.hydra mpirun.openmpi mpiexec.openmpi mpirun.mpich mpiexec.mpich orterun "
        "prterun ",
    .table = &kMpirunTable,
    .same_meaning = kMpirunSameMeaning,
    .variables = kMpirunVariables,
    .reduce = reduce_for_mpirun};

}  // namespace lockstep::launchers
