#include "service/engine/rank_wrapper.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.h"
#include "process/environment.h"
#include "process/output_files.h"
#include "process/run.h"
#include "service/engine/job_output.h"
#include "service/engine/rank_environment.h"
#include "service/job/job_id.h"
#include "service/job/rank_end_json.h"

namespace lockstep::service {
namespace {

constexpr int kCouldNotStart = 127;  // as a shell says it

void limit_memory(std::int64_t bytes) {
  if (bytes <= 0) return;
  const rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
  ::setrlimit(RLIMIT_DATA, &limit);
}

Result<void> write_end(const AttemptFolder& folder, const RankEnd& end) {
  return base::write_file(folder.rank_end(end.rank),
                          base::to_text(encode_rank_end(end), base::JsonLayout::kIndented));
}

}  // namespace

int run_rank(const AttemptFolder& folder, const Plan& plan, int rank) {
  limit_memory(plan.memory_per_worker);
  RankEnd end;
  end.rank = rank;
  end.pid = ::getpid();
  end.started_ms = now_in_ms();
  auto output = OutputWriter::open(folder.output(), rank);
  auto files = process::OutputFiles::open(folder.recording() / "output", fmt::format("rank_{}", rank));
  if (!output.ok() || !files.ok()) return kCouldNotStart;

  process::RunOptions options;
  options.grace = std::chrono::seconds(8);  // less than those above give us
  options.linger = std::chrono::seconds(3);
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
    end.was_asked = ran.value().interrupted_by.has_value();
    if (ran.value().ended_by_signal) {
      end.signal = ran.value().ended_by_signal;
    } else {
      end.exit_status = ran.value().exit_status;
    }
  } else {
    end.exit_status = kCouldNotStart;
    const std::string why =
        fmt::format("lockstep: {} {}: {}\n", ran.error().what, ran.error().where, ran.error().why);
    output.value().keep(process::Stream::kErr, why, now_in_ms());
    files.value().keep(process::Stream::kErr, why);
  }
  end.ended_ms = now_in_ms();
  output.value().finish(end.ended_ms);
  end.last_lines = output.value().last_lines();
  return write_end(folder, end).ok() ? status : kCouldNotStart;
}

}  // namespace lockstep::service
