#include "service/engine/nodes/hand_in.h"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>

#include <fmt/format.h>

#include "base/process/descriptor.h"

namespace lockstep::service {
namespace {

// A scheduler that went away while it was asked, and is back when it is asked whether it has the job, has
// refused nothing.
constexpr int kRefusals = 2;

// Inherited by the programs that ask: while one of them lives that a killed supervisor left behind, nobody
// else asks.
process::Descriptor turn_to_ask(const AttemptFolder& folder) {
  process::Descriptor turn(::open((folder.path / "asking").c_str(), O_RDWR | O_CREAT, 0600));
  while (turn.is_open() && ::flock(turn.get(), LOCK_EX) != 0 && errno == EINTR) {
  }
  return turn;
}

}  // namespace

std::optional<NotHandedIn> hand_in(const AttemptFolder& folder, const HandingIn& steps, bool may_be_there) {
  const process::Descriptor turn = turn_to_ask(folder);
  bool is_told = false;
  std::string why;
  for (int refusals = 0;;) {
    if (may_be_there) {
      const Result<bool> there = steps.is_there();
      if (!there.ok()) {
        refusals = 0;
        if (!is_told)
          report_news(folder, "waiting",
                      fmt::format("{} does not answer: {}", steps.scheduler, there.error().why));
        is_told = true;
        steps.pause();
        continue;
      }
      if (there.value()) return std::nullopt;
    }
    if (is_end_asked(folder)) return NotHandedIn{.was_asked = true};
    if (refusals == kRefusals) return NotHandedIn{.reason = EndReason::refused(steps.scheduler, why)};
    const Result<void> submitted = steps.submit();
    if (submitted.ok()) return std::nullopt;
    why = submitted.error().why;
    ++refusals;
    may_be_there = true;
  }
}

void pause_a_second() {
  std::this_thread::sleep_for(std::chrono::seconds(1));
}

}  // namespace lockstep::service
