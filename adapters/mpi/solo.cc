#include "solo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

constexpr const char* kOfLaunchers[] = {"OMPI_", "PMIX_", "PMI_", "HYDI_", "HYDRA_", "SLURM_", "MPI_LOCAL"};
// Without it Open MPI starts a daemon, which needs a network.
char alone_in_open_mpi[] = "OMPI_MCA_ess_singleton_isolated=1";

bool is_of_launcher(const char* entry) {
  for (const char* prefix : kOfLaunchers) {
    if (::strncmp(entry, prefix, ::strlen(prefix)) == 0) return true;
  }
  return false;
}

int number_in(const char* variable) {
  const char* const text = ::getenv(variable);
  return text == nullptr ? -1 : ::atoi(text);
}

const char* reason_of(int answer) {
  return answer == LOCKSTEP_SERVE_MISFIT ? "off the record: it had data of other sizes in the recorded run"
                                         : lockstep_serve_reason(answer);
}

}  // namespace

int recorded_rank() {
  return number_in("LOCKSTEP_REPLAY_RANK");
}

int recorded_world_size() {
  return number_in("LOCKSTEP_REPLAY_WORLD_SIZE");
}

void leave_replay(const lockstep_ticket& ticket, int answer) {
  constexpr const char* kWords[] = {
#define LOCKSTEP_WORD(name, number, text) text,
      LOCKSTEP_OPERATIONS(LOCKSTEP_WORD)
#undef LOCKSTEP_WORD
  };
  const bool is_known = ticket.operation < sizeof kWords / sizeof *kWords;
  char text[256];
  ::snprintf(text, sizeof text, "%s, number %llu of its communicator: %s",
             is_known ? kWords[ticket.operation] : "a call", static_cast<unsigned long long>(ticket.sequence),
             reason_of(answer));
  leave_replay(text);
}

WithoutLauncher::WithoutLauncher() : kept_(environ) {
  std::size_t count = 0;
  while (kept_[count] != nullptr) ++count;
  bytes_ = (count + 2) * sizeof *filtered_;
  void* const place = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) leave_replay("no memory");
  filtered_ = static_cast<char**>(place);
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_of_launcher(kept_[i])) filtered_[used++] = kept_[i];
  }
  filtered_[used] = alone_in_open_mpi;
  environ = filtered_;
}

// Ours stays: MPI may have kept addresses of it.
WithoutLauncher::~WithoutLauncher() {
  environ = kept_;
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
