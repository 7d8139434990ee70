#include "calls.h"

#include <string.h>

#include "in_progress.h"
#include "library.h"
#include "progress.h"
#include "words.h"

namespace lockstep::adapters::nccl {
namespace {

// What another rank did is not this rank's failure: no text is kept for it.
std::uint32_t error_id(Result result) {
  if (result == kRemoteError || real().GetErrorString == nullptr) return 0;
  const char* text = real().GetErrorString(result);
  return text == nullptr ? 0 : lockstep_intern_string(text, ::strlen(text));
}

void fail(const Issued& issued, Result result) {
  lockstep_mark_call(&issued.ticket, LOCKSTEP_DONE_FAILED, error_id(result), 0);
}

bool is_over(const Issued& issued) {
  return issued.is_captured || issued.is_creation;
}

// All that are on the stream of the first, which is handed back: they end together.
std::size_t follow_stream_of(const Issued* issued, std::size_t count, std::size_t first) {
  constexpr std::size_t kAtOnce = 64;
  lockstep_ticket tickets[kAtOnce];
  std::size_t used = 0;
  std::size_t next = count;
  for (std::size_t i = first; i < count; ++i) {
    if (is_over(issued[i])) continue;
    if (issued[i].stream == issued[first].stream && next == count && used < kAtOnce) {
      tickets[used++] = issued[i].ticket;
    } else if (next == count) {
      next = i;
    }
  }
  follow(tickets, used, issued[first].stream);
  return next;
}

void follow_all(const Issued* issued, std::size_t count) {
  std::size_t at = 0;
  while (at < count) {
    if (is_over(issued[at])) {
      lockstep_mark_call(&issued[at].ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
      ++at;
    } else {
      const std::size_t next = follow_stream_of(issued, count, at);
      for (std::size_t i = at; i < next; ++i) {
        if (is_over(issued[i])) lockstep_mark_call(&issued[i].ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
      }
      at = next;
    }
  }
}

}  // namespace

constinit thread_local int Visit::depth_ = 0;

lockstep_call_facts facts_of(Function function, const Operation& it, Communicator communicator,
                             Stream stream) {
  lockstep_call_facts facts{};
  facts.size = sizeof facts;
  facts.communicator = communicator_id(communicator);
  if (facts.communicator == 0) return facts;
  facts.operation = it.operation;
  facts.reduce_op = it.reduce_op;
  facts.data_type = data_type_of(it.type);
  facts.flags = LOCKSTEP_CALL_ASYNC;
  if (!can_follow()) facts.flags |= LOCKSTEP_CALL_POSTED;
  if (is_capturing(stream)) facts.flags |= LOCKSTEP_CALL_CAPTURED;
  facts.peer = it.peer;
  facts.name = name_id(function);
  facts.payload_bytes = it.count * bytes_of(facts.data_type);
  facts.stream = reinterpret_cast<std::uintptr_t>(stream);
  return facts;
}

void settle(const Issued* issued, std::size_t count, Result result) {
  if (result == kSuccess) return follow_all(issued, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (result != kInProgress) {
      fail(issued[i], result);
    } else if (!wait_for_communicator(issued[i])) {
      lockstep_mark_call(&issued[i].ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
    }
  }
}

}  // namespace lockstep::adapters::nccl
