// Start and end of MPI in a process, and of its recording.
#include <string.h>

#include "calls.h"
#include "fill.h"
#include "requests.h"
#include "solo.h"
#include "surroundings.h"
#include "topology.h"
#include "wrappers.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

// "Open MPI v4.1.4, package: ..." and "MPICH Version:\t4.0.2\nMPICH Release date: ...": up to the first comma
// or line end.
void ask_version(char (&text)[MPI_MAX_LIBRARY_VERSION_STRING + 1]) {
  int length = 0;
  if (real.Get_library_version(text, &length) != MPI_SUCCESS) text[0] = '\0';
  text[::strcspn(text, ",\n")] = '\0';
  for (char& letter : text) letter = letter == '\t' ? ' ' : letter;
}

void start_recording() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING + 1] = {};
  ask_version(version);
  lockstep_rank_facts facts{};
  facts.size = sizeof facts;
  facts.local_rank = -1;
  facts.restart = -1;
  facts.framework = "mpi";
  facts.version = version;
  if (is_solo() && !add_solo_world()) leave_replay("which rank of how many this is, is not told");
  facts.rank = rank_in(handles.world);
  facts.world_size = size_of(handles.world);
  if (facts.rank < 0 || facts.world_size <= 0) return;
  if (lockstep_start_rank(&facts) == 0) {
    add_world();
    if (lockstep_payload_mode() != LOCKSTEP_PAYLOAD_OFF) tell_surroundings();
  }
  if (is_solo() && lockstep_payload_mode() != LOCKSTEP_PAYLOAD_SERVES) {
    leave_replay("the recording of this rank cannot be read");
  }
}

template <typename Call>
int init(Call call) {
  const int result = [&] {
    if (!is_solo()) return call();
    const WithoutLauncher alone;
    return call();
  }();
  if (result == MPI_SUCCESS) start_recording();
  return result;
}

int wrap_Init(int* argc, char*** argv) {
  return init([&] { return real.Init(argc, argv); });
}

int wrap_Init_thread(int* argc, char*** argv, int required, int* provided) {
  return init([&] { return real.Init_thread(argc, argv, required, provided); });
}

// Ranks wait for each other here, so a rank that never comes leaves the others hanging.
int wrap_Finalize() {
  if (lockstep_is_recording() == 0) return real.Finalize();
  const auto facts = collective_facts(kFinalize, LOCKSTEP_OPERATION_Barrier, handles.world, {},
                                      LOCKSTEP_REDUCE_OP_None, kNoRoot);
  lockstep_ticket ticket;
  lockstep_begin_call(&facts, &ticket);
  const int result = real.Finalize();
  if (result == MPI_SUCCESS) forget_all_requests();
  lockstep_mark_call(&ticket, result == MPI_SUCCESS ? LOCKSTEP_DONE_COMPLETED : LOCKSTEP_DONE_FAILED, 0, 0);
  return result;
}

int wrap_Abort(MPI_Comm communicator, int code) {
  lockstep_end_rank(code & 0xff);
  return real.Abort(communicator, code);
}

}  // namespace

void fill_process_calls(AnyFunction* table) {
  LOCKSTEP_FILL(Init)
  LOCKSTEP_FILL(Init_thread)
  LOCKSTEP_FILL(Finalize)
  LOCKSTEP_FILL(Abort)
}

void fill_wrappers(const Library& library, AnyFunction* table) {
#define LOCKSTEP_MPI_FIND(name, arguments) \
  real.name = reinterpret_cast<decltype(real.name)>(find_real(library, k##name));
  LOCKSTEP_MPI_FUNCTIONS(LOCKSTEP_MPI_FIND)
#undef LOCKSTEP_MPI_FIND
#define LOCKSTEP_MPI_FIND(name) \
  real.name = reinterpret_cast<decltype(real.name)>(find_symbol(library, "PMPI_" #name));
  LOCKSTEP_MPI_QUESTIONS(LOCKSTEP_MPI_FIND)
#undef LOCKSTEP_MPI_FIND
  find_handles(library);
  fill_process_calls(table);
  fill_collectives(table);
  fill_messages(table);
  fill_completions(table);
  fill_communicator_calls(table);
  fill_probes(table);
  fill_matched_messages(table);
  fill_neighbour_collectives(table);
  if (!is_solo()) return;
  fill_solo_completions(table);
  fill_solo_calls(table);
  fill_solo_groups(table);
  fill_solo_topology(table);
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
