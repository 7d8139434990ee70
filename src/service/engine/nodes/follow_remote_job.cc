#include "service/engine/nodes/follow_remote_job.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <poll.h>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/json.h"
#include "base/process/descriptor.h"
#include "base/process/signal_gate.h"
#include "service/engine/attempt_folder.h"
#include "service/engine/heartbeat.h"
#include "service/job/job.h"
#include "service/store/seal.h"

namespace lockstep::service {

namespace {

// What the ranks of all nodes print, brought together in the attempt's one file: entries of a node stay in
// their order, those of several come in as they are seen.

class OutputGathering {
 public:
  // Goes on where an earlier one stopped: that is kept beside the file.
  OutputGathering(const AttemptFolder& folder, int nodes);

  void gather();

 private:
  const AttemptFolder folder_;
  std::vector<std::size_t> taken_;  // bytes of each node's file
};

constexpr std::size_t kMaxGathered = std::size_t{4} << 20;

std::filesystem::path mark_of(const AttemptFolder& folder) {
  return folder.nodes() / "gathered";
}

std::vector<std::size_t> taken_before(const AttemptFolder& folder, std::size_t nodes) {
  std::vector<std::size_t> taken(nodes);
  const auto text = base::read_file(mark_of(folder), 1 << 20);
  if (!text.ok()) return taken;
  const auto json = base::parse_json(text.value(), "gathered");
  if (!json.ok() || !json.value().is_array()) return taken;
  for (std::size_t node = 0; node < nodes && node < json.value().size(); ++node) {
    if (json.value()[node].is_number_unsigned()) taken[node] = json.value()[node].get<std::size_t>();
  }
  return taken;
}

// Whole lines only.
std::string new_lines(const std::filesystem::path& path, std::size_t from) {
  const process::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return "";
  std::string bytes(kMaxGathered, '\0');
  const ssize_t count = ::pread(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(from));
  bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  bytes.resize(bytes.rfind('\n') == std::string::npos ? 0 : bytes.rfind('\n') + 1);
  return bytes;
}

OutputGathering::OutputGathering(const AttemptFolder& folder, int nodes)
    : folder_(folder), taken_(taken_before(folder, static_cast<std::size_t>(nodes))) {}

void OutputGathering::gather() {
  std::string gathered;
  std::vector<std::size_t> taken = taken_;
  for (std::size_t node = 0; node < taken.size(); ++node) {
    const std::string lines = new_lines(folder_.node_output(static_cast<int>(node)), taken[node]);
    taken[node] += lines.size();
    gathered += lines;
  }
  if (gathered.empty()) return;
  const process::Descriptor file(
      ::open(folder_.output().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!file.is_open()) return;
  const off_t before = ::lseek(file.get(), 0, SEEK_END);
  if (!base::write_all(file.get(), gathered)) {  // all of it at the next try, or none
    static_cast<void>(::ftruncate(file.get(), before) == 0);
    return;
  }
  taken_ = std::move(taken);
  static_cast<void>(
      base::write_file(mark_of(folder_), base::to_text(base::Json(taken_), base::JsonLayout::kOneLine)).ok());
}

using Clock = std::chrono::steady_clock;

// Output of other nodes reaches a follower within this time.
constexpr std::chrono::milliseconds kBetweenGatherings{100};
// Between questions to the scheduler: most jobs start or are refused in the first ten seconds (kManyLooks
// times kFirstLooks); afterwards thousands of jobs must not wear it out.
constexpr std::chrono::milliseconds kFirstLooks{250};
constexpr int kManyLooks = 40;
constexpr std::chrono::seconds kLaterLooks{2};
// Without a sign of life a rank is lost: longer than any pause of a shared disk that nobody calls broken.
constexpr std::chrono::seconds kSignOfLifeTime{30};
// Where the scheduler itself does not hear of the node: two witnesses need less time.
constexpr std::chrono::seconds kSignOfLifeTimeOfSuspects{8};
constexpr int kNodeLostStatus = 137;  // as of a process that was killed

class Following {
 public:
  Following(const AttemptFolder& folder, const Plan& plan, RemoteJob& job)
      : folder_(folder),
        job_(job),
        output_(folder, plan.nodes),
        pulse_(folder, plan.workers),
        signals_({SIGTERM, SIGINT, SIGHUP}) {}

  RemoteEnd until_the_end() {
    while (!is_over()) {
      wait();
      output_.gather();
      while (signals_.next()) ask_to_end();
    }
    output_.gather();
    return end_;
  }

 private:
  void wait() const {
    pollfd watched{.fd = signals_.fd(), .events = POLLIN, .revents = 0};
    ::poll(&watched, 1, static_cast<int>(kBetweenGatherings.count()));
  }

  void ask_to_end() {
    end_.was_asked = true;
    cancel({});
  }

  void cancel(const std::vector<int>& lost) {
    is_cancelled_ = true;
    job_.cancel(lost);
  }

  bool is_over() {
    const Clock::time_point now = Clock::now();
    if (now < next_look_) return false;
    next_look_ = now + (++looks_ < kManyLooks ? Clock::duration(kFirstLooks) : Clock::duration(kLaterLooks));
    const RemoteState state = job_.look();
    if (state.standing == RemoteStanding::kOver) return note_end(state);
    report_change(state);
    if (is_cancelled_) job_.cancel({});  // the scheduler may not have heard it
    if (!state.trouble.is_empty()) end_because(state.trouble, {});
    if (state.standing != RemoteStanding::kUnknown) look_for_lost_ranks(state.suspects, now);
    return false;
  }

  void report_change(const RemoteState& state) {
    if (state.standing == RemoteStanding::kRunning && !end_.has_run) {
      end_.has_run = true;
      report_news(folder_, "running", fmt::format("{} on {}", job_.name(), state.where));
    }
    const bool waits = state.standing == RemoteStanding::kWaiting && !state.waits_for.empty();
    if (!waits || !told_waits_.insert(state.waits_for).second) return;
    report_news(folder_, "waiting", fmt::format("{}: {}", job_.name(), state.waits_for));
  }

  // A scheduler may go on for ever with a node whose processes are gone, waits for minutes until it gives up
  // a node that does not answer it, and may not have heard yet that a rank runs there.
  void look_for_lost_ranks(const std::vector<int>& suspects, Clock::time_point now) {
    if (!why_ended_.is_empty()) return;
    pulse_.feel(now);
    std::vector<int> lost = pulse_.silent_for(kSignOfLifeTime, now);
    const std::vector<int> quiet = pulse_.silent_for(kSignOfLifeTimeOfSuspects, now);
    std::ranges::copy_if(suspects, std::back_inserter(lost), [&](int rank) {
      return std::ranges::count(quiet, rank) > 0 && std::ranges::count(lost, rank) == 0;
    });
    if (lost.empty()) return;
    report_news(folder_, "lost", fmt::format("no sign of life of ranks {}", fmt::join(lost, ", ")));
    end_because(EndReason::silent(fmt::format("ranks {}", fmt::join(lost, ", ")),
                                  (suspects.empty() ? kSignOfLifeTime : kSignOfLifeTimeOfSuspects).count()),
                lost);
  }

  void end_because(const EndReason& why, const std::vector<int>& lost) {
    if (!why_ended_.is_empty() || end_.was_asked) return;
    why_ended_ = why;
    cancel(lost);
  }

  bool note_end(const RemoteState& state) {
    std::error_code ignored;
    end_.has_run = end_.has_run || std::filesystem::exists(folder_.node_place(0), ignored);
    end_.reason = !why_ended_.is_empty() ? why_ended_ : state.trouble;
    if (end_.was_asked) end_.reason = {};
    if (end_.reason.is_empty() && !end_.has_run) end_.reason = EndReason::never_started(job_.name());
    if (!end_.reason.is_empty()) end_.status = kNodeLostStatus;
    return true;
  }

  const AttemptFolder& folder_;
  RemoteJob& job_;
  OutputGathering output_;
  Pulse pulse_;
  process::SignalGate signals_;
  RemoteEnd end_;
  EndReason why_ended_;
  bool is_cancelled_ = false;
  std::set<std::string> told_waits_;
  int looks_ = 0;
  Clock::time_point next_look_{};
};

}  // namespace

RemoteEnd follow_to_the_end(const AttemptFolder& folder, const Plan& plan, RemoteJob& job) {
  return Following(folder, plan, job).until_the_end();
}

Result<void> prepare_nodes(const AttemptFolder& folder) {
  std::error_code fault;
  std::filesystem::create_directories(folder.nodes(), fault);
  std::filesystem::create_directories(folder.ranks(), fault);
  TRY(base::write_file(folder.token(), in_hex(random_bytes(32))));
  std::filesystem::permissions(folder.token(), std::filesystem::perms::owner_read, fault);
  return {};
}

}  // namespace lockstep::service
