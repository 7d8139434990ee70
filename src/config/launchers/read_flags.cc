#include "config/launchers/read_flags.h"

#include <fmt/format.h>

#include "config/launchers/tables.h"

namespace lockstep::config {
namespace {

constexpr std::string_view kHorovodNames[] = {
    "np num_proc",          "min_np min_num_proc",
    "max_np max_num_proc",  "hosts H",
    "ssh_port p",           "network_interfaces network_interface",
    "slots_per_host slots",
};
constexpr std::string_view kMpiNames[] = {
    "np n c",
    "hosts H host",
    "hostfile machinefile f default_hostfile",
    "npernode N ppn perhost",
};
constexpr std::string_view kSlurmNames[] = {
    "ntasks n", "nodes N", "nodelist w", "gpus G", "cpus_per_task c", "ntasks_per_node tasks_per_node",
};
constexpr std::string_view kDeepspeedNames[] = {"hostfile H", "include i", "exclude e",
                                                "num_gpus num_accelerators"};

constexpr FlagNames kTorchrun{"torchrun", &kTorchrunFlags, {}};
constexpr FlagNames kHorovod{"horovod", &kHorovodrunFlags, kHorovodNames};
constexpr FlagNames kMpi{"mpi", &kMpirunFlags, kMpiNames};
constexpr FlagNames kSrun{"srun", &kSrunFlags, kSlurmNames};
constexpr FlagNames kDeepspeed{"deepspeed", &kDeepspeedFlags, kDeepspeedNames};
constexpr FlagNames kAccelerate{"accelerate", &kAccelerateFlags, {}};

const FlagNames& names_of(LauncherKind kind) {
  switch (kind) {
    case LauncherKind::kTorchrun:
      return kTorchrun;
    case LauncherKind::kHorovodrun:
      return kHorovod;
    case LauncherKind::kMpirun:
      return kMpi;
    case LauncherKind::kSrun:
      return kSrun;
    case LauncherKind::kDeepspeed:
      return kDeepspeed;
    case LauncherKind::kAccelerate:
      return kAccelerate;
  }
  return kTorchrun;
}

bool has_word(std::string_view words, std::string_view wanted) {
  return fmt::format(" {} ", words).find(fmt::format(" {} ", wanted)) != std::string::npos;
}

std::string name_among(const FlagNames& names, const std::string& typed) {
  for (const std::string_view group : names.same_meaning) {
    if (has_word(group, typed)) return std::string(group.substr(0, group.find(' ')));
  }
  return typed;
}

// -x NAME, -x NAME=VALUE, -genv NAME VALUE: the ranks get the variable.
void export_variable(const TypedFlag& flag, const Reading& reading) {
  const std::string& first = flag.values.front();
  const std::size_t equals = first.find('=');
  const std::string name = first.substr(0, equals);
  const std::string how = fmt::format("flag {}", flag.words.front());
  reading.settings.append(field::kMpiExported, name, reading.origin(how));
  if (flag.values.size() == 2) reading.put_variable(name, flag.values[1], how);
  if (equals != std::string::npos) reading.put_variable(name, first.substr(equals + 1), how);
}

bool is_mca(std::string_view name) {
  return name == "mca" || name == "gmca" || name == "omca" || name == "prtemca" || name == "pmixmca";
}

void read_flag(const FlagNames& names, const TypedFlag& flag, const Reading& reading) {
  const bool is_mpi = names.section == "mpi";
  if (is_mpi && is_mca(flag.name)) {
    reading.put(field::mpi_parameter(flag.values[0]), flag.values[1],
                fmt::format("flag --mca {}", flag.values[0]));
    return;
  }
  if (is_mpi && (flag.name == "x" || flag.name == "genv" || flag.name == "env")) {
    export_variable(flag, reading);
    return;
  }
  const std::string name = name_among(names, flag.name);
  const std::string typed = flag.words.front();
  const std::string how = fmt::format("flag {}", typed.substr(0, typed.find('=')));
  if (flag.values.empty()) {
    reading.put_flag(names.section, name, true, how);
  } else {
    reading.put_flag(names.section, name, flag.values.front(), how);
  }
}

}  // namespace

const FlagNames kSbatch{"sbatch", &kSrunFlags, kSlurmNames};

Words read_launcher_words(const FlagNames& names, std::span<const std::string> words,
                          const Reading& reading) {
  if (!reading.settings.has(names.section)) {
    reading.settings.append(field::kLaunchers, std::string(names.section), reading.origin("command"));
    reading.settings.set(names.section, base::Json::object(), reading.origin("command"));
  }
  auto split = split_command(words, *names.table);
  if (!split.ok()) {
    reading.fault(fmt::format("{}: {}", split.error().where, split.error().why));
    return {};
  }
  for (const TypedFlag& flag : split.value().flags) read_flag(names, flag, reading);
  return std::move(split.value().program);
}

Words read_launcher(LauncherKind kind, std::span<const std::string> words, const Reading& reading) {
  return read_launcher_words(names_of(kind), words, reading);
}

}  // namespace lockstep::config
