#include "breakpoint.h"

#include <initializer_list>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "recorder/core/text.h"

namespace lockstep::recorder {
namespace {

struct Wanted {
  std::uint64_t step = 0;
  std::uint64_t operation = 0;
  std::uint64_t sequence = 0;
};

bool read_wanted(Wanted& wanted) {
  const char* at = ::getenv("LOCKSTEP_REPLAY_BREAK");
  if (at == nullptr) return false;
  for (std::uint64_t* number : {&wanted.step, &wanted.operation, &wanted.sequence}) {
    at = parse_number(at, *number);
    if (at == nullptr) return false;
    if (*at == ':') ++at;
  }
  return true;
}

}  // namespace

void Breakpoint::meet(const PayloadKey& key, const PayloadKeeper& keeper) {
  Wanted wanted;
  if (!read_wanted(wanted)) return;
  lockstep_payload_moment now{};
  keeper.tell_now(now);
  if (now.step + 1 != wanted.step) return;
  if (wanted.operation != 0 && wanted.operation != key.operation) return;
  if (wanted.sequence != 0 && wanted.sequence != key.sequence) return;
  if (met_in_.exchange(wanted.step, std::memory_order_relaxed) == wanted.step) return;
  ::kill(::getpid(), SIGSTOP);
}

}  // namespace lockstep::recorder
