// A process's place in a job that spans several hosts, from the launcher's command line and environment:
// whether it does, which host is the head, and where that listens.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/net/address.h"
#include "launchers/launcher.h"

namespace lockstep::launchers {

struct JobPlace {
  std::optional<std::uint32_t> index;  // 0 is the head; empty: whoever has the head's address is
  std::uint32_t count = 0;             // of hosts, or of ranks where each has its own watcher; 0: not known
  std::optional<base::HostPort> head;  // empty: the launcher does not tell
  std::string_view launcher;           // who told, for people
};

// Nothing for a job of one host, watched by one watcher.
std::optional<JobPlace> find_place(const Launch& launch);

// What each launcher tells, one function each, in its own file. Nothing: it is not this launcher; a count of
// one: it is, and there is nobody else.
// torchrun, torch.distributed.run and .launch: their flags, and PET_* for those not given.
std::optional<JobPlace> place_by_torchrun(const Launch& launch);
std::optional<JobPlace> place_by_accelerate(const Launch& launch);
// One watcher for each rank: RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT.
std::optional<JobPlace> place_by_rank_variables(const Launch& launch);
std::optional<JobPlace> place_by_tf_config(const Launch& launch);
std::optional<JobPlace> place_by_open_mpi(const Launch& launch);
std::optional<JobPlace> place_by_horovod(const Launch& launch);
std::optional<JobPlace> place_by_slurm(const Launch& launch);
std::optional<JobPlace> place_by_mpich(const Launch& launch);

// The launcher's own flags, wherever in the command it stands; nothing when the command has no such launcher.
std::optional<SplitCommand> flags_of(const Launcher& launcher, const Words& command);

// Nothing when the variable is not set or empty.
std::optional<std::string> variable(const Environment& environment, std::string_view name);
std::optional<std::uint32_t> number(const Environment& environment, std::string_view name);

// A port for watchers, from something that all hosts of a job have in common and other jobs have not.
std::uint16_t port_from(std::string_view common);

// The first of "node[01-04,07],login".
std::string first_in_node_list(std::string_view list);

}  // namespace lockstep::launchers
