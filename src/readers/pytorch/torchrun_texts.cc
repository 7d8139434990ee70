#include "readers/pytorch/torchrun_texts.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/fast_json.h"
#include "base/lines.h"
#include "model/line_origin.h"
#include "readers/rank_in_name.h"
#include "readers/stacks/process_dump.h"
#include "readers/take_number.h"

namespace lockstep::readers {

namespace {

// Exit codes as Python's multiprocessing gives them: a negative one is a signal.
void set_end(std::int64_t exit_code, model::Rank& rank) {
  constexpr std::int64_t kLargest = 1 << 20;
  if (exit_code == 0 || exit_code < -kLargest || exit_code > kLargest) return;
  rank.end = exit_code < 0 ? model::RankEnd::kSignalled : model::RankEnd::kExited;
  rank.exit_status = static_cast<int>(exit_code < 0 ? -exit_code : exit_code);
}

constexpr std::size_t kTorchrunTextsMaxBytes = std::size_t{64} << 20;  // a message and a traceback

struct ReportedError {
  std::string_view message;
  std::string_view traceback;
  std::optional<std::int64_t> seconds;
  std::optional<std::int64_t> exit_code;
};

std::optional<ReportedError> parse_report(base::FastJson json) {
  if (const auto text = base::string_member(json, "message")) {
    const auto seconds = base::integer_member(json, "timestamp");
    if (!seconds) return std::nullopt;
    return ReportedError{.message = *text,
                         .traceback = *text,
                         .seconds = seconds,
                         .exit_code = base::integer_member(json, "errorCode")};
  }
  const auto inner = base::member(json, "message");
  const auto text = inner ? base::string_member(*inner, "message") : std::nullopt;
  if (!text) return std::nullopt;
  ReportedError report{.message = *text,
                       .traceback = {},
                       .seconds = std::nullopt,
                       .exit_code = base::integer_member(*inner, "errorCode")};
  if (const auto extra = base::member(*inner, "extraInfo")) {
    report.traceback = base::string_member(*extra, "py_callstack").value_or("");
    report.seconds = base::integer_member(*extra, "timestamp");
  }
  return report;
}

std::int64_t nanoseconds(std::optional<std::int64_t> seconds) {
  constexpr std::int64_t kLargest = 9'000'000'000;  // the year 2255; more does not fit in nanoseconds
  if (!seconds || *seconds <= 0 || *seconds > kLargest) return model::kNoTime;
  return *seconds * 1'000'000'000;
}

model::Rank rank_from(const RankInName& name) {
  model::Rank rank;
  rank.number = name.is_guess ? model::kUnknownRank : name.rank.value_or(model::kUnknownRank);
  rank.local_rank = name.local_rank;
  rank.restart = name.restart.value_or(0);
  return rank;
}

}  // namespace

bool recognises_error_json(const Source& source) {
  constexpr std::size_t kHead = 4096;
  const std::string_view head = source.bytes.substr(0, kHead);
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || head[begin] != '{' || source.bytes.size() > kTorchrunTextsMaxBytes)
    return false;
  if (head.find("\"message\"") == std::string_view::npos) return false;
  base::FastJsonParser parser;
  if (const auto json = parser.parse(source.bytes)) return parse_report(*json).has_value();
  const std::string_view inside = head.substr(begin + 1);  // it was cut
  return inside.substr(std::min(inside.find_first_not_of(" \t\r\n"), inside.size()))
      .starts_with("\"message\": {\"message\": \"");
}

model::Job read_error_json(const Source& source) {
  model::Job job;
  job.framework = "pytorch";
  job.sources = {source.name};
  base::FastJsonParser parser;
  const auto json = parser.parse(source.bytes);
  const auto report = json ? parse_report(*json) : std::nullopt;
  if (!report) {
    job.limits.push_back(fmt::format("{}: cut, so the error in it is not known", source.name));
    return job;
  }
  const RankInName name = rank_in_name(source.path);
  model::RankHistory history;
  history.rank = rank_from(name);
  number_by_local_rank(source, history.rank, job);
  if (report->exit_code) set_end(*report->exit_code, history.rank);
  history.sources = {static_cast<model::SourceId>(0)};
  model::Failure failure;
  failure.message = report->message;
  failure.time_ns = nanoseconds(report->seconds);
  failure.source = static_cast<model::SourceId>(0);
  failure.position = 1;
  if (const model::Stack stack = last_traceback(report->traceback); !stack.empty()) {
    failure.stack = job.stacks.intern(stack);
  }
  history.failures.push_back(std::move(failure));
  job.ranks.push_back(std::move(history));
  return job;
}

namespace {

// One item of torchrun's summary, filled line by line.
struct TorchrunFailure {
  std::optional<int> rank;
  std::optional<int> local_rank;
  std::optional<std::int64_t> exit_code;
  std::optional<std::int64_t> pid;
  std::string host;
  std::string error_file;
  std::string traceback;  // without its indentation
  int attempt = 0;
  std::optional<std::int64_t> time_ns;  // when torchrun saw it, of its own clock
  bool is_root_cause = false;
  std::uint32_t position = 0;
};

class TorchrunItem {
 public:
  explicit TorchrunItem(std::uint32_t position) { failure_.position = position; }

  void take(std::string_view line);
  TorchrunFailure finish() && { return std::move(failure_); }

 private:
  void take_field(std::string_view key, std::string_view value);

  TorchrunFailure failure_;
  bool is_in_traceback_ = false;
};

constexpr std::string_view kFailed = "failed (exitcode: ";
constexpr std::string_view kTracebackHead = "Traceback (most recent call last):";
constexpr std::size_t kLongestTraceback = 1 << 20;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// The number behind `key`: "(pid: 10621)".
template <typename Number>
std::optional<Number> number_behind(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + key.size());
  return take_number<Number>(text);
}

// `... failed (exitcode: -11) local_rank: 1 (pid: 10621) of binary: ...`
std::optional<TorchrunFailure> parse_failed_line(std::string_view line) {
  const std::size_t at = line.find(kFailed);
  if (at == std::string_view::npos) return std::nullopt;
  line = line.substr(at);
  TorchrunFailure failure;
  failure.exit_code = number_behind<std::int64_t>(line, kFailed);
  failure.local_rank = number_behind<int>(line, "local_rank: ");
  failure.pid = number_behind<std::int64_t>(line, "(pid: ");
  const bool is_whole = failure.exit_code && failure.local_rank && *failure.local_rank >= 0 && failure.pid;
  return is_whole ? std::optional(std::move(failure)) : std::nullopt;
}

void TorchrunItem::take(std::string_view line) {
  if (is_in_traceback_) {
    if (failure_.traceback.size() + line.size() > kLongestTraceback) return;
    failure_.traceback += '\n';
    failure_.traceback += line.substr(line.starts_with("  ") ? 2 : 0);
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !line.starts_with("  ")) return;
  take_field(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
}

void TorchrunItem::take_field(std::string_view key, std::string_view value) {
  const bool is_whole = value.find(')') != std::string_view::npos;  // not cut inside a number
  if (key == "time") {
    failure_.time_ns = model::take_time(value);
  } else if (key == "host") {
    failure_.host = value;
  } else if (key == "rank" && is_whole) {
    failure_.local_rank = number_behind<int>(value, "local_rank: ");
    failure_.rank = take_number<int>(value);
  } else if (key == "exitcode" && is_whole) {
    failure_.pid = number_behind<std::int64_t>(value, "(pid: ");
    failure_.exit_code = take_number<std::int64_t>(value);
  } else if (key == "error_file") {
    if (value != "<N/A>") failure_.error_file = value;
  } else if (key == "traceback") {
    failure_.traceback = value.substr(0, kLongestTraceback);
    is_in_traceback_ = true;
  }
}

// "RuntimeError: batch 3 is broken" at the end of a traceback, with all of its lines; a text that is no
// traceback is the message itself. Empty where torchrun only says how one could get a traceback.
std::string message_of(std::string_view traceback) {
  if (traceback.starts_with("To enable traceback see")) return {};
  const std::size_t head = traceback.rfind(kTracebackHead);
  if (head == std::string_view::npos) return std::string(trimmed(traceback));
  base::Lines lines(traceback.substr(head + kTracebackHead.size()));
  std::string message;
  while (const auto line = lines.next()) {
    const bool is_frame = line->empty() || line->starts_with(' ');
    if (message.empty() && is_frame) continue;
    if (!message.empty()) message += '\n';
    message += *line;
  }
  message.erase(message.find_last_not_of("\n ") + 1);
  return message;
}

constexpr std::string_view kRootCause = "Root Cause (first observed failure):";

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
      is_root_cause_ = line == kRootCause;
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
    failure.is_root_cause = is_root_cause_;
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
  bool is_root_cause_ = false;
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
  history.rank.launcher_saw_first = item.is_root_cause;
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

// torchrun sends SIGTERM to the ranks that are left, and SIGKILL to those that stay half a minute later: both
// tell nothing about the rank. A rank killed from outside is seen before, or with the others.
void forget_whom_torchrun_killed(std::vector<TorchrunFailure>& failures) {
  constexpr std::int64_t kGraceNs = 5'000'000'000;  // far from both; the summary has whole seconds
  const auto root = std::ranges::find_if(failures, &TorchrunFailure::is_root_cause);
  if (root == failures.end() || !root->time_ns) return;
  const std::int64_t first_ns = *root->time_ns;
  for (TorchrunFailure& failure : failures) {
    const bool was_killed = failure.exit_code && *failure.exit_code == -SIGKILL;
    if (failure.is_root_cause || !was_killed || !failure.time_ns || *failure.time_ns < first_ns + kGraceNs)
      continue;
    failure.exit_code.reset();
    failure.traceback.clear();
  }
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
    forget_whom_torchrun_killed(launcher.failures);
    for (const TorchrunFailure& failure : launcher.failures) add_failure(failure, job);
  }
  return job;
}

}  // namespace lockstep::readers
