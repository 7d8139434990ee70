#include "requests.h"

#include <atomic>

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

constexpr std::size_t kSlots = 1 << 15;
constexpr std::size_t kMostProbes = 128;
constexpr std::uint64_t kBusy = 1;

struct Slot {
  std::atomic<std::uint64_t> key;  // 0: free
  Pending pending;
};
Slot table[kSlots];
std::atomic<std::int64_t> wildcards;

Slot& place_of(std::uint64_t key, std::size_t probe) {
  return table[((key * LOCKSTEP_CHECK_FACTOR >> 40) + probe) % kSlots];
}

Slot* find(MPI_Request request) {
  if (request == handles.null_request) return nullptr;
  const std::uint64_t key = key_of(request);
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    Slot& slot = place_of(key, probe);
    if (slot.key.load(std::memory_order_acquire) == key) return &slot;
  }
  return nullptr;
}

void keep_result(const Pending& pending, const MPI_Status* status) {
  if (!pending.is_receive) {
    keep_got(pending.ticket, pending.got);
  } else if (status != nullptr) {
    keep_received(pending.ticket, pending.got, *status);
  }
}

// Types are held only where something is kept of the call.
void hold(Pending& pending) {
  if (!keeps_payload()) return;
  hold_type(pending.given);
  hold_type(pending.got);
}

void release(Pending pending) {
  if (!keeps_payload()) return;
  release_type(pending.given);
  release_type(pending.got);
}

void remove(Slot& slot) {
  if (slot.pending.is_wildcard) wildcards.fetch_sub(1, std::memory_order_relaxed);
  slot.key.store(0, std::memory_order_release);
}

// Its handle is still that of others, whose calls are over: a replay, which has a handle for each, must be
// told what MPI says of them too.
void leave_to_twins(Slot& slot) {
  if (slot.pending.is_wildcard) wildcards.fetch_sub(1, std::memory_order_relaxed);
  const std::uint32_t left = slot.pending.twins - 1;
  slot.pending = {};
  slot.pending.twins = left;
}

}  // namespace

void add_request(MPI_Request request, const Pending& pending) {
  // A handle that comes again belongs to a request that is over: it was completed where we do not look, or
  // MPI gives one handle to all that are finished when they are issued.
  std::uint32_t twins = 0;
  if (Slot* old = find(request)) {
    finish(old->pending.ticket, MPI_SUCCESS);
    if (!old->pending.is_receive) keep_got(old->pending.ticket, old->pending.got);
    if (keeps_payload() && !old->pending.is_persistent) twins = old->pending.twins + 1;
    release(old->pending);
    remove(*old);
  }
  const std::uint64_t key = key_of(request);
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    Slot& slot = place_of(key, probe);
    std::uint64_t free = 0;
    if (!slot.key.compare_exchange_strong(free, kBusy, std::memory_order_acquire)) continue;
    slot.pending = pending;
    slot.pending.twins = twins;
    hold(slot.pending);
    if (pending.is_wildcard) wildcards.fetch_add(1, std::memory_order_relaxed);
    slot.key.store(key, std::memory_order_release);
    return;
  }
  finish(pending.ticket, MPI_SUCCESS);
}

void start_request(MPI_Request request) {
  Slot* slot = find(request);
  if (slot == nullptr || !slot->pending.is_persistent) return;
  slot->pending.begin_ns = lockstep_now_ns();
  slot->pending.is_waited_for = false;
  lockstep_begin_call(&slot->pending.facts, &slot->pending.ticket);
  keep_given(slot->pending.ticket, slot->pending.given);
}

void wait_for_request(MPI_Request request) {
  Slot* slot = find(request);
  if (slot == nullptr || slot->pending.is_waited_for || slot->pending.ticket.communicator == 0) return;
  slot->pending.is_waited_for = true;
  lockstep_mark_call(&slot->pending.ticket, LOCKSTEP_DONE_STARTED, 0, 0);
}

void forget_request(MPI_Request request) {
  Slot* slot = find(request);
  if (slot == nullptr) return;
  finish(slot->pending.ticket, MPI_SUCCESS);  // nobody will ever see its end
  release(slot->pending);
  remove(*slot);
}

void forget_all_requests() {
  for (Slot& slot : table) {
    if (slot.key.load(std::memory_order_acquire) <= kBusy) continue;
    finish(slot.pending.ticket, MPI_SUCCESS);
    remove(slot);
  }
}

void complete_request(MPI_Request request, int result, const MPI_Status* status) {
  Slot* slot = find(request);
  if (slot == nullptr) return;
  const Pending pending = slot->pending;
  if (pending.is_persistent) {
    slot->pending.ticket.communicator = 0;
  } else if (pending.twins > 0) {
    leave_to_twins(*slot);
  } else {
    remove(*slot);
  }
  if (pending.ticket.communicator == 0) return;
  finish(pending.ticket, result);
  if (result == MPI_SUCCESS) {
    pending.checksums.note(pending.ticket);
    keep_result(pending, status);
  }
  if (!pending.is_persistent) release(pending);
  if (pending.is_wildcard && status != nullptr && result == MPI_SUCCESS) {
    tell_partner(pending.facts, pending.communicator, pending.begin_ns, *status);
  }
}

// As complete_request, with what was recorded.
void serve_request(MPI_Request* request, MPI_Status* status) {
  const Slot* const slot = find(*request);
  if (slot == nullptr) return;
  const Pending pending = slot->pending;
  MPI_Status served{};
  write_status({MPI_ANY_SOURCE, MPI_ANY_TAG, 0, 0, 0}, &served);
  if (pending.ticket.communicator != 0 && pending.is_receive) {
    serve_received(pending.ticket, pending.got, &served);
  } else if (pending.ticket.communicator != 0) {
    serve_got(pending.ticket, pending.got);
  }
  complete_request(*request, MPI_SUCCESS, &served);
  if (!pending.is_persistent) free_solo_request(request);
  if (status != MPI_STATUS_IGNORE) *status = served;
}

bool needs_statuses() {
  return wildcards.load(std::memory_order_relaxed) > 0 || keeps_payload();
}

bool is_known(MPI_Request request) {
  return find(request) != nullptr;
}

bool has_known(int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    if (is_known(requests[i])) return true;
  }
  return false;
}

void tell_partner(const lockstep_call_facts& wildcard, MPI_Comm communicator, std::uint64_t begin_ns,
                  const MPI_Status& status) {
  if (status.MPI_SOURCE < 0) return;
  const std::uint32_t channel = channel_id(communicator, status.MPI_TAG);
  if (channel == 0) return;
  lockstep_call_facts facts = wildcard;
  lockstep_ticket ticket;
  facts.communicator = channel;
  facts.peer = status.MPI_SOURCE;
  facts.time_ns = begin_ns;
  lockstep_begin_call(&facts, &ticket);
  finish(ticket, MPI_SUCCESS);
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
