#include "diagnose/logs/silent.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text_search/regex.h"
#include "diagnose/logs/progress.h"
#include "diagnose/logs/thresholds.h"
#include "model/finding_code.h"
#include "model/line_origin.h"

namespace lockstep::logs {
namespace {

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
  if (ends.size() < kMinStoppedLogs) return std::nullopt;
  std::ranges::sort(ends, {}, &LastTime::time_ns);
  const std::int64_t gap = ends[1].time_ns - ends[0].time_ns;
  const std::int64_t spread = ends.back().time_ns - ends[1].time_ns;
  if (gap < kMinStopNs || gap < kStopTimesSpread * spread) return std::nullopt;
  return ends.front().place;
}

namespace {

// Progress is read from the two ends of a log, whatever lies between them.
constexpr std::size_t kSilentWindow = std::size_t{64} << 10;

std::optional<double> number_in(const base::Regex::Captures& captures, const std::string& name) {
  const auto found = captures.find(name);
  if (found == captures.end()) return std::nullopt;
  double number = 0;
  const std::string& text = found->second;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() ? std::optional(number) : std::nullopt;
}

// The first epoch was announced, and no step of it ever reported.
std::optional<SilentSign> never_moved(std::size_t log, std::string_view bytes) {
  static const base::Regex first_epoch =
      base::Regex::of_our_own(R"(\bepoch[ :#\[]+[01] ?(/|of) ?(?P<last>\d+))");
  static const base::Regex progress = base::Regex::of_our_own(
      R"(\d+/\d+ \[|\bloss\b|step[ :=]+\d|it/s|s/it|\d+%\||iter\w*[ :=#]+\d|done|finished|complete|saved)");
  std::optional<SilentSign> sign;
  for_each_tail_line(bytes, kSilentWindow, [&](std::string_view line, LineSpan span) {
    if (progress.found_in(line)) {
      sign.reset();
    } else if (const auto epoch = first_epoch.capture(line); epoch && number_in(*epoch, "last") > 1) {
      sign = SilentSign{model::codes::kHangSilent, log, span};
    }
  });
  return bytes.size() <= kSilentWindow ? sign : std::nullopt;
}

// A bar of rank 0's preparation stands below 100 % and a traceback without a reason follows.
std::optional<SilentSign> preparation_unfinished(std::size_t log, std::string_view bytes) {
  static const base::Regex bar = base::Regex::of_our_own(R"((?P<percent>\d{1,3})%\|)");
  static const base::Regex traceback = base::Regex::of_our_own("Traceback");
  std::optional<SilentSign> last_bar;
  std::optional<SilentSign> sign;
  for_each_tail_line(bytes, kSilentWindow, [&](std::string_view line, LineSpan span) {
    if (const auto percent = bar.capture(line)) {
      last_bar.reset();
      if (number_in(*percent, "percent") < 100)
        last_bar = SilentSign{model::codes::kHangPrepareSilent, log, span};
    }
    if (last_bar && traceback.found_in(line)) sign = last_bar;
  });
  return sign;
}

// Rates per device, for runs with different numbers of devices in one log.
std::optional<SilentSign> no_scaling(std::size_t log, std::string_view bytes) {
  static const base::Regex devices = base::Regex::of_our_own(
      R"((number of (gpus|devices|workers)|world[_ ]?size|num_gpus|ngpus|gpus|n_gpu)[ :=]+(?P<count>\d+))");
  static const base::Regex rate_before = base::Regex::of_our_own(
      R"((?P<rate>[\d.]+) ?(img|images|samples|examples|tokens)/s(ec)?( per |/)(gpu|device|worker))");
  static const base::Regex rate_after = base::Regex::of_our_own(
      R"((img|images|samples|examples|tokens)/s(ec)?( per |/)(gpu|device|worker)[ :=]+(?P<rate>[\d.]+))");
  static const base::Regex total_rate = base::Regex::of_our_own(
      R"((img|images|samples|examples|tokens)/s(ec)? on (?P<count>\d+) (gpu|device|worker)\S* *: *(?P<rate>[\d.]+))");
  double count = 0;
  std::map<double, std::pair<double, LineSpan>> best;  // by number of devices
  const auto note = [&](double rate, LineSpan span) {
    if (count <= 0 || rate <= 0) return;
    auto& entry = best[count];
    if (rate > entry.first) entry = {rate, span};
  };
  for_each_tail_line(bytes, kSilentWindow, [&](std::string_view line, LineSpan span) {
    if (const auto found = devices.capture(line)) count = number_in(*found, "count").value_or(0);
    if (const auto total = total_rate.capture(line)) {
      count = number_in(*total, "count").value_or(0);
      note(number_in(*total, "rate").value_or(0) / std::max(1.0, count), span);
      return;
    }
    auto found = rate_after.capture(line);
    if (!found) found = rate_before.capture(line);
    if (found) note(number_in(*found, "rate").value_or(0), span);
  });
  if (best.size() < 2 || best.rbegin()->second.first > kPoorScaling * best.begin()->second.first)
    return std::nullopt;
  return SilentSign{model::codes::kSlowScaling, log, best.rbegin()->second.second};
}

// nvidia-smi shows memory taken on GPUs of which one works and another does not.
std::optional<SilentSign> uneven_gpus(std::size_t log, std::string_view bytes) {
  static const base::Regex row =
      base::Regex::of_our_own(R"((?P<used>\d+)MiB */ *(?P<all>\d+)MiB \| *(?P<busy>\d+)%)");
  double busiest = 0;
  double idlest = 100;
  double idlest_memory = 0;
  LineSpan idlest_line;
  for_each_tail_line(bytes, kSilentWindow, [&](std::string_view line, LineSpan span) {
    const auto found = row.capture(line);
    if (!found) return;
    const double busy = number_in(*found, "busy").value_or(0);
    busiest = std::max(busiest, busy);
    if (busy >= idlest) return;
    idlest = busy;
    idlest_memory =
        number_in(*found, "used").value_or(0) / std::max(1.0, number_in(*found, "all").value_or(1));
    idlest_line = span;
  });
  const double busy_enough = idlest_memory < kUnusedMemory ? kBusyBesideUnusedGpu : kBusyGpu;
  if (busiest < busy_enough || idlest > kIdleGpu) return std::nullopt;
  return SilentSign{
      idlest_memory > kTakenMemory ? model::codes::kSlowUnevenGpus : model::codes::kParallelIdleGpu, log,
      idlest_line};
}

// One process on GPU 0 for each process elsewhere: all of them made a context on it.
std::optional<SilentSign> all_on_gpu_zero(std::size_t log, std::string_view bytes) {
  static const base::Regex row =
      base::Regex::of_our_own(R"(^\|\s+(?P<gpu>\d+)\s+(?:N/A\s+N/A\s+)?(?P<pid>\d+)\s+[CG+]+\s)");
  std::map<std::string, std::set<std::string>> gpus_of;  // by process
  std::optional<LineSpan> shown;
  for_each_tail_line(bytes, kSilentWindow, [&](std::string_view line, LineSpan span) {
    auto found = row.capture(line);
    if (!found) return;
    gpus_of[(*found)["pid"]].insert((*found)["gpu"]);
    if (!shown) shown = span;
  });
  const auto astray = std::ranges::count_if(
      gpus_of, [](const auto& one) { return one.second.size() > 1 && one.second.contains("0"); });
  if (!shown || astray == 0) return std::nullopt;
  return SilentSign{model::codes::kParallelAllOnGpuZero, log, *shown};
}

Progress at_both_ends(std::string_view bytes, Progress (*read)(std::string_view, std::size_t, std::size_t)) {
  if (bytes.size() <= 2 * kSilentWindow) return read(bytes, 0, bytes.size());
  Progress progress = read(bytes, 0, kSilentWindow);
  std::ranges::copy(read(bytes, bytes.size() - kSilentWindow, bytes.size()), std::back_inserter(progress));
  return progress;
}

std::optional<SilentSign> rate_falls(std::size_t log, std::string_view bytes) {
  const auto line = where_rate_fell(at_both_ends(bytes, rates_in));
  return line ? std::optional(SilentSign{model::codes::kSlowRateFalls, log, *line}) : std::nullopt;
}

std::optional<SilentSign> loss_rises(std::size_t log, std::string_view bytes) {
  const auto line = where_loss_rose(at_both_ends(bytes, losses_in));
  return line ? std::optional(SilentSign{model::codes::kConvergeLossRises, log, *line}) : std::nullopt;
}

std::optional<SilentSign> loss_grows(std::size_t log, std::string_view bytes) {
  const std::size_t window = std::min(bytes.size(), kSilentWindow);
  const auto line =
      where_loss_grew(losses_in(bytes, 0, window), losses_in(bytes, bytes.size() - window, bytes.size()));
  return line ? std::optional(SilentSign{model::codes::kConvergeDiverges, log, *line}) : std::nullopt;
}

}  // namespace

std::optional<SilentSign> silent_sign(std::span<const LogText> logs, const Context& context) {
  if (const auto stopped = log_that_stopped(logs))
    return SilentSign{model::codes::kHangLogStops, stopped->log, stopped->last_line, logs[stopped->log].rank};
  // All ranks report the same progress: a part of a large job tells as much as all of it.
  constexpr std::size_t kMaxLogs = 64;
  for (std::size_t log = 0; log < std::min(logs.size(), kMaxLogs); ++log) {
    const std::string_view bytes = logs[log].bytes;
    if (context.knows("rank_zero_work")) {
      if (auto sign = preparation_unfinished(log, bytes)) return sign;
    }
    if (auto sign = no_scaling(log, bytes)) return sign;
    if (auto sign = uneven_gpus(log, bytes)) return sign;
    if (auto sign = all_on_gpu_zero(log, bytes)) return sign;
    if (auto sign = rate_falls(log, bytes)) return sign;
    if (auto sign = loss_grows(log, bytes)) return sign;
    if (auto sign = loss_rises(log, bytes)) return sign;
    if (logs.size() == 1 && context.knows("distributed")) {
      if (auto sign = never_moved(log, bytes)) return sign;
    }
  }
  return std::nullopt;
}

std::optional<SilentSign> silent_until(std::span<const LogText> logs, std::size_t log, LineSpan limit) {
  static const base::Regex cancelled =
      base::Regex::of_our_own(R"(CANCELLED AT (?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d) DUE TO TIME LIMIT)");
  static const base::Regex moves = base::Regex::of_our_own(
      R"(\bloss\b|\b(?:step|iter|iteration|batch|epoch)\b[ :=#\[(]*\d|it/s|s/it|\d%\|)");
  const std::string_view bytes = logs[log].bytes;
  const auto told = cancelled.capture(bytes.substr(limit.begin, limit.end - limit.begin));
  if (!told) return std::nullopt;
  const auto end = model::split_origin(told->at("time") + " ended").time_ns;
  if (!end) return std::nullopt;
  std::vector<std::int64_t> times;
  LineSpan last;
  for_each_tail_line(bytes.substr(0, limit.begin), kSilentWindow, [&](std::string_view line, LineSpan span) {
    const auto time = model::split_origin(line).time_ns;
    if (!time || !moves.found_in(line)) return;
    if (times.empty() || *time > times.back()) {
      times.push_back(*time);
      last = span;
    }
  });
  if (times.size() < kMinPacedSteps) return std::nullopt;
  std::int64_t longest = 0;
  for (std::size_t i = 1; i < times.size(); ++i) longest = std::max(longest, times[i] - times[i - 1]);
  const std::int64_t silence = *end - times.back();
  if (silence < kMinSilenceNs || silence < kSilenceTimesPause * longest) return std::nullopt;
  const std::int64_t beside = silence % kZoneStepNs;
  if (std::min(beside, kZoneStepNs - beside) <= kMinuteNs + longest) return std::nullopt;
  return SilentSign{model::codes::kHangSilent, log, last};
}

}  // namespace lockstep::logs
