#include "run/multihost/host_mirror.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "base/file.h"
#include "run/watch/live_job.h"

namespace lockstep::multihost {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kMostBytesOfARank = std::size_t{8} << 20;  // of events in the head's copy
constexpr auto kSampleInterval = 200ms;
constexpr auto kTicksInterval = 1s;  // when only the used time changed
constexpr std::size_t kMostTestimonyBytes = std::size_t{512} << 10;
constexpr std::size_t kMostOutputBytes = std::size_t{512} << 10;

// The end of a file that may be long, from the begin of a line.
std::string end_of(const fs::path& path, std::size_t most_bytes) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0));
  const std::size_t wanted = std::min(size, most_bytes);
  std::string text(wanted, '\0');
  file.seekg(static_cast<std::streamoff>(size - wanted));
  file.read(text.data(), static_cast<std::streamsize>(wanted));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (wanted == size) return text;
  const std::size_t line = text.find('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

}  // namespace

// Processes are asked first: what one wrote before its end is then handed on before that is told.
void HostMirror::look() {
  looked_ns_ = watch::wall_clock_ns();
  find_new_files();
  const bool samples = Clock::now() - sampled_ >= kSampleInterval;
  if (samples) sampled_ = Clock::now();
  for (auto& [name, rank] : ranks_) {
    if (samples || rank.process.has_ended()) sample(rank);
    rank.mirror.look();
  }
}

void HostMirror::find_new_files() {
  std::error_code fault;
  const fs::file_time_type changed = fs::last_write_time(recording_, fault);
  if (!fault && changed != listed_) {
    auto found = record::open_recording(recording_);
    if (!found.ok()) return;
    listed_ = changed;
    unopened_ = std::move(found.value().rank_files);
    std::erase_if(unopened_, [this](const record::RankFile& file) {
      return ranks_.contains({.rank = file.rank, .restart = file.restart});
    });
  }
  std::erase_if(unopened_, [this](const record::RankFile& file) {
    auto mirror = RankMirror::open(file.path, kMostBytesOfARank);
    if (!mirror.ok()) return false;
    Followed followed{
        .mirror = std::move(mirror).value(), .process = {}, .now = {}, .told = {}, .told_at = {}};
    followed.process = watch::RankProcess(static_cast<pid_t>(followed.mirror.header().pid), file.path);
    followed.now.name = followed.mirror.name();
    ranks_.emplace(followed.mirror.name(), std::move(followed));
    return true;
  });
}

void HostMirror::sample(Followed& rank) {
  if (rank.process.has_ended()) {
    rank.now.state = watch::RemoteProcess::kEnded;
  } else if (const auto sample = rank.process.sample()) {
    rank.now.state = sample->state;
    rank.now.cpu_ticks = sample->cpu_ticks;
  }
}

void HostMirror::hand_on(std::size_t most_bytes, const RankMirror::Emit& emit) {
  std::size_t left = most_bytes;
  for (auto& [name, rank] : ranks_) {
    if (left == 0) return;
    left -= std::min(left, rank.mirror.hand_on(left, emit));
  }
  const bool is_through =
      std::ranges::all_of(ranks_, [](const auto& rank) { return rank.second.mirror.is_through(); });
  if (is_through) as_of_ns_ = looked_ns_;
}

Pulse HostMirror::pulse() {
  Pulse pulse{.sent_ns = watch::wall_clock_ns(), .as_of_ns = as_of_ns_, .clock_lead_ns = 0, .changed = {}};
  if (as_of_ns_ != looked_ns_) return pulse;  // states are told with the records that led to them
  for (auto& [name, rank] : ranks_) {
    const bool is_due = rank.now.state != rank.told.state || Clock::now() - rank.told_at >= kTicksInterval;
    if (rank.now == rank.told || !is_due) continue;
    rank.told = rank.now;
    rank.told_at = Clock::now();
    pulse.changed.push_back(rank.now);
  }
  return pulse;
}

std::vector<Testimony> HostMirror::testimony() const {
  std::vector<Testimony> all;
  const auto add = [&](TestimonyKind kind, const RankName& name, const fs::path& path) {
    auto text = base::read_file(path, kMostTestimonyBytes);
    if (text.ok()) all.push_back({.kind = kind, .name = name, .text = std::move(text).value()});
  };
  for (const auto& [name, rank] : ranks_) {
    const std::string stem = fmt::format("rank_{:05}.restart_{}", name.rank, name.restart);
    add(TestimonyKind::kPythonStacks, name, recording_ / "stacks" / (stem + ".python.txt"));
    add(TestimonyKind::kNativeStacks, name, recording_ / "stacks" / (stem + ".native.txt"));
  }
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(recording_, ignored)) {
    const std::string name = file.path().filename().string();
    if (name.starts_with("host_") && name.ends_with(".json")) add(TestimonyKind::kHostFacts, {}, file.path());
    if (name.starts_with("kernel_") && name.ends_with(".log"))
      add(TestimonyKind::kKernelLog, {}, file.path());
  }
  return all;
}

std::vector<Output> HostMirror::output() const {
  std::vector<Output> all;
  for (const bool is_err : {false, true}) {
    std::string text = end_of(recording_ / "output" / (is_err ? "job.err" : "job.out"), kMostOutputBytes);
    if (!text.empty()) all.push_back({.is_err = is_err, .text = std::move(text)});
  }
  return all;
}

}  // namespace lockstep::multihost
