// Communicators that come and go. The first call of each is its own making, in which ranks can hang.
#include "activation.h"
#include "calls.h"
#include "in_progress.h"
#include "library.h"
#include "progress.h"
#include "wrapper.h"

namespace lockstep::adapters::nccl {
namespace {

// The program's own name, where the configuration is new enough to have one.
const char* description_in(const Config* config) {
  constexpr unsigned kMagic = 0xCAFEBEEF;
  constexpr unsigned kFirstWithName = 22700;
  if (config == nullptr || config->magic != kMagic || config->version < kFirstWithName) return nullptr;
  return config->size >= sizeof(Config) ? config->name : nullptr;
}

lockstep_ticket begin_creation(Function function, std::uint32_t communicator) {
  lockstep_call_facts facts{};
  facts.size = sizeof facts;
  facts.communicator = communicator;
  facts.operation = LOCKSTEP_OPERATION_CreateCommunicator;
  facts.peer = -1;
  facts.name = name_id(function);
  lockstep_ticket ticket;
  lockstep_begin_call(&facts, &ticket);
  return ticket;
}

// False: it ends later, with its group or when its communicator is ready.
bool end_creation(const lockstep_ticket& ticket, Communicator waited_for, Result result) {
  const Issued issued{ticket, waited_for, nullptr, false, true};
  if (result == kSuccess && keep_begun_for_group(issued)) return false;
  settle(&issued, 1, result);
  return result == kSuccess;
}

// Made of unique ids: everyone knows size and rank beforehand.
template <typename Call>
Result create(Function function, Communicator* made, const Made& facts, Call call) {
  const Visit visit;
  note_shim();
  if (!visit.is_from_program() || !begin_recording(facts.rank, facts.size)) return call();
  const std::uint32_t id = define_communicator(facts);
  const lockstep_ticket ticket = begin_creation(function, id);
  const Result result = call();
  const bool is_made = result == kSuccess || result == kInProgress;
  if (is_made) add_communicator(*made, facts.name, id);
  end_creation(ticket, is_made ? *made : nullptr, result);
  return result;
}

// Made of another one. Its size is known when it is ready: now, or when it is first used.
void keep_child(Communicator* made, const Name& name, bool is_ready) {
  if (made == nullptr || *made == nullptr) return;
  add_communicator(*made, name, 0);
  if (is_ready) communicator_id(*made);
}

}  // namespace

LOCKSTEP_NCCL_WRAPPER(CommInitRank, Communicator* made, int size, UniqueId id, int rank) {
  return create(kCommInitRank, made, {name_of_ids(&id, 1), size, rank, nullptr},
                [&] { return LOCKSTEP_NCCL_REAL(CommInitRank, made, size, id, rank); });
}

LOCKSTEP_NCCL_WRAPPER(CommInitRankConfig, Communicator* made, int size, UniqueId id, int rank,
                      Config* config) {
  return create(kCommInitRankConfig, made, {name_of_ids(&id, 1), size, rank, description_in(config)},
                [&] { return LOCKSTEP_NCCL_REAL(CommInitRankConfig, made, size, id, rank, config); });
}

LOCKSTEP_NCCL_WRAPPER(CommInitRankScalable, Communicator* made, int size, int rank, int id_count,
                      UniqueId* ids, Config* config) {
  return create(
      kCommInitRankScalable, made, {name_of_ids(ids, id_count), size, rank, description_in(config)},
      [&] { return LOCKSTEP_NCCL_REAL(CommInitRankScalable, made, size, rank, id_count, ids, config); });
}

// All ranks in this process: nothing to record, and what NCCL calls inside is none of the program's calls.
LOCKSTEP_NCCL_WRAPPER(CommInitAll, Communicator* made, int count, const int* devices) {
  const Visit visit;
  note_shim();
  return LOCKSTEP_NCCL_REAL(CommInitAll, made, count, devices);
}

// A collective of the parent, also for ranks that get nothing.
LOCKSTEP_NCCL_WRAPPER(CommSplit, Communicator parent, int color, int key, Communicator* made,
                      Config* config) {
  const auto call = [&] { return LOCKSTEP_NCCL_REAL(CommSplit, parent, color, key, made, config); };
  const Visit visit;
  const std::uint32_t id = visit.is_from_program() ? communicator_id(parent) : 0;
  Name name;
  if (id == 0 || !name_of_child(parent, "split", color, name)) return call();
  const lockstep_ticket ticket = begin_creation(kCommSplit, id);
  const Result result = call();
  const bool is_made = result == kSuccess || result == kInProgress;
  const bool is_ready = end_creation(ticket, parent, result);
  if (is_made && color != kNoColor) keep_child(made, name, is_ready);
  return result;
}

// Only those that stay call it, so it is no collective of the parent.
LOCKSTEP_NCCL_WRAPPER(CommShrink, Communicator parent, int* left_out, int left_out_count, Communicator* made,
                      Config* config, int flags) {
  const auto call = [&] {
    return LOCKSTEP_NCCL_REAL(CommShrink, parent, left_out, left_out_count, made, config, flags);
  };
  const Visit visit;
  const std::uint32_t id = visit.is_from_program() ? communicator_id(parent) : 0;
  Name name;
  if (id == 0 || !name_of_child(parent, "shrink", -1, name)) return call();
  if ((flags & kShrinkAborts) != 0) give_up(id);
  const Result result = call();
  if (result == kSuccess || result == kInProgress) keep_child(made, name, false);
  return result;
}

LOCKSTEP_NCCL_WRAPPER(CommDestroy, Communicator communicator) {
  const Visit visit;
  const Result result = LOCKSTEP_NCCL_REAL(CommDestroy, communicator);
  if (visit.is_from_program()) forget_communicator(communicator);
  return result;
}

// Kernels that wait for a rank end now, and must not look as if they had done their work.
LOCKSTEP_NCCL_WRAPPER(CommAbort, Communicator communicator) {
  const Visit visit;
  if (visit.is_from_program()) {
    if (const std::uint32_t id = communicator_id(communicator)) give_up(id);
    forget_communicator(communicator);
  }
  return LOCKSTEP_NCCL_REAL(CommAbort, communicator);
}

LOCKSTEP_NCCL_WRAPPER(CommRevoke, Communicator communicator, int flags) {
  const Visit visit;
  const std::uint32_t id = visit.is_from_program() ? communicator_id(communicator) : 0;
  if (id != 0) give_up(id);
  return LOCKSTEP_NCCL_REAL(CommRevoke, communicator, flags);
}

LOCKSTEP_NCCL_WRAPPER(CommGetAsyncError, Communicator communicator, Result* state) {
  const Visit visit;
  const Result result = LOCKSTEP_NCCL_REAL(CommGetAsyncError, communicator, state);
  if (visit.is_from_program() && result == kSuccess && state != nullptr) note_state(communicator, *state);
  return result;
}

}  // namespace lockstep::adapters::nccl
