#include "diagnose/logs/stopped_log.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/line_origin.h"

namespace lockstep::logs {
namespace {

constexpr std::int64_t kMinute = 60'000'000'000;
constexpr std::size_t kTail = std::size_t{4} << 10;

struct LastTime {
  std::int64_t time_ns = 0;
  StoppedLog place;
};

std::optional<LastTime> last_time_of(std::size_t log, std::string_view bytes) {
  std::optional<LastTime> last;
  std::size_t begin = bytes.size() - std::min(bytes.size(), kTail);
  while (begin < bytes.size()) {
    const std::size_t end = end_of_line(bytes, begin);
    if (const auto time = model::split_origin(bytes.substr(begin, end - begin)).time_ns)
      last = LastTime{*time, {log, {begin, end}}};
    begin = end + 1;
  }
  return last;
}

}  // namespace

std::optional<StoppedLog> log_that_stopped(std::span<const LogText> logs) {
  std::vector<LastTime> ends;
  for (std::size_t log = 0; log < logs.size(); ++log) {
    if (!logs[log].rank) continue;
    const auto last = last_time_of(log, logs[log].bytes);
    let_go(logs[log]);
    if (!last) return std::nullopt;
    ends.push_back(*last);
  }
  constexpr std::size_t kFewest = 3;
  if (ends.size() < kFewest) return std::nullopt;
  std::ranges::sort(ends, {}, &LastTime::time_ns);
  const std::int64_t gap = ends[1].time_ns - ends[0].time_ns;
  const std::int64_t spread = ends.back().time_ns - ends[1].time_ns;
  constexpr std::int64_t kClearly = 4;
  if (gap < kMinute || gap < kClearly * spread) return std::nullopt;
  return ends.front().place;
}

}  // namespace lockstep::logs
