#include "readers/pytorch/error_json.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/fast_json.h"
#include "readers/local_rank.h"
#include "readers/pytorch/exit_code.h"
#include "readers/rank_in_name.h"
#include "readers/stacks/python_frame.h"

namespace lockstep::readers {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // a message and a traceback

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
  if (begin == std::string_view::npos || head[begin] != '{' || source.bytes.size() > kMostBytes) return false;
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

}  // namespace lockstep::readers
