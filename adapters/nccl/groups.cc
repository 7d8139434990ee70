#include "groups.h"

#include <atomic>

namespace lockstep::adapters::nccl {
namespace {

constexpr std::size_t kMostCalls = 1024;
constexpr std::size_t kMostGroups = 16;

struct Kept {
  lockstep_call_facts facts;
  bool is_begun;
};
// A thread borrows one for the length of a group.
struct Queue {
  std::atomic<bool> is_taken;
  std::size_t count;
  Kept kept[kMostCalls];
  Issued issued[kMostCalls];
};
Queue queues[kMostGroups];

struct Thread {
  int depth;
  Queue* queue;
};
constinit thread_local Thread thread __attribute__((tls_model("initial-exec"))) = {0, nullptr};

Queue* queue() {
  if (thread.queue != nullptr) return thread.queue;
  for (Queue& candidate : queues) {
    if (candidate.is_taken.exchange(true, std::memory_order_acquire)) continue;
    candidate.count = 0;
    return thread.queue = &candidate;
  }
  return nullptr;
}

void give_queue_back() {
  if (thread.queue == nullptr) return;
  thread.queue->is_taken.store(false, std::memory_order_release);
  thread.queue = nullptr;
}

bool keep(const lockstep_call_facts& facts, const Issued& issued, bool is_begun) {
  if (thread.depth == 0) return false;
  Queue* own = queue();
  if (own == nullptr || own->count == kMostCalls) return false;
  own->kept[own->count] = {facts, is_begun};
  own->issued[own->count++] = issued;
  return true;
}

}  // namespace

// A call that finds no room is told at once, and as one that nobody waits for: its end could not be told
// apart from that of its group.
bool keep_for_group(const lockstep_call_facts& facts, const Issued& issued) {
  if (thread.depth == 0) return false;
  if (keep(facts, issued, false)) return true;
  lockstep_call_facts posted = facts;
  lockstep_ticket ticket;
  posted.flags |= LOCKSTEP_CALL_POSTED;
  lockstep_begin_call(&posted, &ticket);
  return true;
}

bool keep_begun_for_group(const Issued& issued) {
  return keep({}, issued, true);
}

void enter_group() {
  ++thread.depth;
}

bool is_last_end() {
  return thread.depth == 1;
}

void leave_inner_group() {
  if (thread.depth > 0) --thread.depth;
}

void tell_group() {
  thread.depth = 0;
  if (thread.queue == nullptr) return;
  for (std::size_t i = 0; i < thread.queue->count; ++i) {
    const Kept& kept = thread.queue->kept[i];
    if (!kept.is_begun) lockstep_begin_call(&kept.facts, &thread.queue->issued[i].ticket);
  }
}

void settle_group(Result result) {
  if (thread.queue == nullptr) return;
  settle(thread.queue->issued, thread.queue->count, result);
  give_queue_back();
}

void drop_group() {
  thread.depth = 0;
  give_queue_back();
}

}  // namespace lockstep::adapters::nccl
