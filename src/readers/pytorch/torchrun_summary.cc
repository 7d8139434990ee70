#include "readers/pytorch/torchrun_summary.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/lines.h"
#include "model/line_origin.h"
#include "readers/pytorch/exit_code.h"
#include "readers/pytorch/torchrun_failure.h"
#include "readers/rank_in_name.h"
#include "readers/stacks/python_frame.h"

namespace lockstep::readers {
namespace {

constexpr std::string_view kRootCause = "Root Cause (first observed failure):";
constexpr std::string_view kFailed = "failed (exitcode: ";

// `[0]:`
bool is_item_head(std::string_view line) {
  return line.size() > 3 && line.starts_with('[') && line.ends_with("]:") &&
         std::ranges::all_of(line.substr(1, line.size() - 3), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_rule(std::string_view line) {
  return line.size() > 10 && (line.find_first_not_of('=') == std::string_view::npos ||
                              line.find_first_not_of('-') == std::string_view::npos);
}

// One torchrun: there is one on each node, and their lines may alternate.
class Launcher {
 public:
  void take(std::string_view line, std::uint32_t number) {
    if (auto failed = parse_failed_line(line)) {
      failed->attempt = attempts_++;
      failed->position = number;
      place_of_.try_emplace(*failed->pid, failures.size());
      failures.push_back(std::move(*failed));
    } else if (line == "Failures:" || line == kRootCause) {
      end_item();
      is_in_summary_ = true;
    } else if (is_in_summary_ && is_item_head(line)) {
      end_item();
      item_.emplace(number);
    } else if (is_rule(line)) {
      end_item();
      is_in_summary_ = false;
    } else if (item_) {
      item_->take(line);
    }
  }

  // The item of a process of which a line said before that it failed completes that one.
  void end_item() {
    if (!item_) return;
    TorchrunFailure failure = std::move(*item_).finish();
    item_.reset();
    if (!failure.pid && !failure.rank) return;
    failure.attempt = rank_in_name(failure.error_file).restart.value_or(attempts_ == 0 ? 0 : attempts_ - 1);
    const auto known = failure.pid ? place_of_.find(*failure.pid) : place_of_.end();
    if (known != place_of_.end()) {
      failures[known->second] = std::move(failure);
    } else {
      failures.push_back(std::move(failure));
    }
  }

  std::vector<TorchrunFailure> failures;

 private:
  std::unordered_map<std::int64_t, std::size_t> place_of_;  // by pid
  std::optional<TorchrunItem> item_;
  int attempts_ = 0;
  bool is_in_summary_ = false;
};

// Every node calls itself localhost.
std::optional<int> host_of(const std::string& name, model::Job& job) {
  if (name.empty() || name == "localhost") return std::nullopt;
  const auto place = std::ranges::find(job.hosts, name, &model::Host::name);
  if (place != job.hosts.end()) return static_cast<int>(place - job.hosts.begin());
  job.hosts.push_back({.name = name, .clock_ahead_ns = std::nullopt});
  return static_cast<int>(job.hosts.size() - 1);
}

void add_failure(const TorchrunFailure& item, model::Job& job) {
  model::RankHistory history;
  if (item.rank && *item.rank >= 0) history.rank.number = *item.rank;
  history.rank.local_rank = item.local_rank;
  history.rank.pid = item.pid;
  history.rank.restart = item.attempt;
  history.rank.host = host_of(item.host, job);
  if (item.exit_code) set_end(*item.exit_code, history.rank);
  history.sources = {static_cast<model::SourceId>(0)};
  if (std::string message = message_of(item.traceback); !message.empty()) {
    model::Failure failure;
    failure.message = std::move(message);
    failure.source = static_cast<model::SourceId>(0);
    failure.position = item.position;
    if (const model::Stack stack = last_traceback(item.traceback); !stack.empty()) {
      failure.stack = job.stacks.intern(stack);
    }
    history.failures.push_back(std::move(failure));
  }
  job.ranks.push_back(std::move(history));
}

}  // namespace

bool recognises_torchrun_summary(const Source& source) {
  if (source.first(LogMark::kRootCause) != std::string_view::npos) return true;
  for (std::size_t at = source.first(LogMark::kExitCode); at != std::string_view::npos;
       at = source.bytes.find(kFailed, at + 1)) {
    const std::string_view line = source.bytes.substr(at, 256);
    if (parse_failed_line(line.substr(0, line.find('\n')))) return true;
  }
  return false;
}

model::Job read_torchrun_summary(const Source& source) {
  model::Job job;
  job.framework = "pytorch";
  job.sources = {source.name};
  std::map<model::LineOrigin, Launcher> launchers;
  base::Lines lines(source.bytes);
  while (const auto line = lines.next()) {
    const model::OwnedLine owned = model::split_origin(*line);
    auto launcher = launchers.find(owned.origin);
    if (launcher == launchers.end()) {
      const bool begins =
          owned.text == "Failures:" || owned.text == kRootCause || parse_failed_line(owned.text);
      if (!begins) continue;
      launcher = launchers.try_emplace(owned.origin).first;
    }
    launcher->second.take(owned.text, lines.number());
  }
  for (auto& [origin, launcher] : launchers) {
    launcher.end_item();
    for (const TorchrunFailure& failure : launcher.failures) add_failure(failure, job);
  }
  return job;
}

}  // namespace lockstep::readers
