#include <chrono>
#include <csignal>
#include <poll.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process/environment.h"
#include "base/process/run.h"
#include "base/process/signal_gate.h"
#include "service/engine/attempt_supervisor.h"
#include "service/engine/heartbeat.h"
#include "service/engine/job_output.h"
#include "service/engine/last_record.h"
#include "service/engine/memory_limit.h"
#include "service/engine/nodes/shares.h"
#include "service/engine/rank_environment.h"
#include "service/job/job.h"

namespace lockstep::service {
namespace {

constexpr int kCouldNotStart = 127;  // as a shell says it

// Appending from several nodes to one file does not work on every shared disk.
std::filesystem::path output_place(const AttemptFolder& folder, const Plan& plan, int rank) {
  if (!plan.is_on_cluster()) return folder.output();
  return folder.node_output(seat_of(rank, plan.workers, plan.nodes).node);
}

// Its last lines, each character escaped, and the rest of the record.
constexpr std::size_t kRoomForRankEnd = std::size_t{128} << 10;

// A scheduler that ends a job signals all of its processes, in no order and on a busy node not at once: a
// rank that is gone by such a signal was told to end if this process is told so too. Held by
// test_a_scheduler_may_signal_the_rank_first.
constexpr std::chrono::seconds kSignalledTogether{2};

bool may_have_been_told(const process::RunEnd& ran) {
  const int status = ran.status();
  return !ran.interrupted_by && (status == 128 + SIGTERM || status == 128 + SIGINT || status == 128 + SIGHUP);
}

// Of a signal that came after the rank had ended. The gang holds these back, so none is lost.
bool is_told_soon() {
  const process::SignalGate held({SIGTERM, SIGINT, SIGHUP});
  pollfd watched{.fd = held.fd(), .events = POLLIN, .revents = 0};
  return ::poll(&watched, 1, static_cast<int>(std::chrono::milliseconds(kSignalledTogether).count())) > 0;
}

// Between tries to write it: a disk gets room by somebody's hand.
constexpr std::chrono::seconds kBetweenTries{1};

// Until it is written: how a rank ended is known here alone. Whoever wants this process to end sends SIGTERM.
Result<void> write_rank_end(LastRecord& record, const RankEnd& end) {
  return record.write_patiently(base::to_text(encode_rank_end(end), base::JsonLayout::kIndented), [] {
    std::this_thread::sleep_for(kBetweenTries);
    return true;
  });
}

}  // namespace

void say_for_rank(const AttemptFolder& folder, const Plan& plan, int rank, const std::string& words) {
  auto output = OutputWriter::open(output_place(folder, plan, rank), rank);
  auto files = process::OutputFiles::open(folder.recording() / "output", fmt::format("rank_{}", rank));
  if (output.ok()) output.value().keep(process::Stream::kErr, words, now_in_ms());
  if (files.ok()) files.value().keep(process::Stream::kErr, words);
}

int run_rank(const AttemptFolder& folder, const Plan& plan, int rank) {
  const MemoryLimit memory(plan, rank);
  LastRecord record(folder.rank_end(rank), kRoomForRankEnd);
  RankEnd end;
  end.rank = rank;
  end.pid = ::getpid();
  end.started_ms = now_in_ms();
  auto output = OutputWriter::open(output_place(folder, plan, rank), rank);
  auto files = process::OutputFiles::open(folder.recording() / "output", fmt::format("rank_{}", rank));
  if (!output.ok() || !files.ok()) {
    end.exit_status = kCouldNotStart;
    end.output_lost = output.ok() ? files.error().why : output.error().why;
    end.ended_ms = now_in_ms();
    static_cast<void>(write_rank_end(record, end).ok());
    return kCouldNotStart;
  }
  const Heartbeat heart(folder.sign_of_life(rank), end.started_ms);
  const auto say = [&](const std::string& words) {
    output.value().keep(process::Stream::kErr, words, now_in_ms());
    files.value().keep(process::Stream::kErr, words);
  };

  process::RunOptions options;
  options.grace = std::chrono::seconds(8);  // less than those above give us
  options.linger = std::chrono::seconds(3);
  options.on_start = [&] { memory.leave_to_rank(); };
  options.on_asking_to_end = [&] {
    files.value().go_on_in(fmt::format(".rank_{}_after_the_end_was_asked", rank));
  };
  options.on_output = [&](process::Stream stream, std::string_view bytes) {
    output.value().keep(stream, bytes, now_in_ms());
    files.value().keep(stream, bytes);
  };
  const process::Command command{plan.command, with_rank(process::own_environment(), plan, rank)};
  const auto ran = process::run(command, options);
  int status = kCouldNotStart;
  if (ran.ok()) {
    status = ran.value().status();
    end.ended_ms = now_in_ms();
    end.was_asked =
        ran.value().interrupted_by.has_value() || (may_have_been_told(ran.value()) && is_told_soon());
    if (ran.value().ended_by_signal) {
      end.signal = ran.value().ended_by_signal;
    } else {
      end.exit_status = ran.value().exit_status;
    }
  } else {
    end.exit_status = kCouldNotStart;
    say(fmt::format("lockstep: {} {}: {}\n", ran.error().what, ran.error().where, ran.error().why));
  }
  if (const auto words = memory.kill_in_words()) say(*words);
  if (end.ended_ms == 0) end.ended_ms = now_in_ms();
  output.value().finish(end.ended_ms);
  end.last_lines = output.value().last_lines();
  end.hit_memory_limit = end.failed_by_itself() && memory.was_hit(end.last_lines);
  end.output_lost = output.value().fault();
  static_cast<void>(write_rank_end(record, end).ok());
  return status;
}

}  // namespace lockstep::service
