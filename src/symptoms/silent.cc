#include "symptoms/silent.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/regex.h"

namespace lockstep::symptoms {
namespace {

// Progress is read from the two ends of a log, whatever lies between them.
constexpr std::size_t kWindow = std::size_t{64} << 10;

base::Regex compiled(std::string_view pattern) {
  auto regex = base::Regex::compile(pattern, "progress");
  CHECK(regex.ok(), "progress patterns are valid");
  return std::move(regex).value();
}

std::optional<double> number_in(const base::Regex::Captures& captures, const std::string& name) {
  const auto found = captures.find(name);
  if (found == captures.end()) return std::nullopt;
  double number = 0;
  const std::string& text = found->second;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() ? std::optional(number) : std::nullopt;
}

using OnLine = std::function<void(std::string_view line, LineSpan span)>;

void for_each_line(std::string_view bytes, std::size_t begin, std::size_t end, const OnLine& on_line) {
  while (begin < end) {
    std::size_t stop = bytes.find_first_of("\r\n", begin);
    stop = std::min({stop == std::string_view::npos ? end : stop, end, begin + kLongestLine});
    if (stop > begin) on_line(bytes.substr(begin, stop - begin), {begin, stop});
    begin = stop + 1;
  }
}

void for_each_tail_line(std::string_view bytes, const OnLine& on_line) {
  for_each_line(bytes, bytes.size() - std::min(bytes.size(), kWindow), bytes.size(), on_line);
}

// The first epoch was announced, and no step of it ever reported.
std::optional<SilentSign> never_moved(std::size_t log, std::string_view bytes) {
  static const base::Regex first_epoch = compiled(R"(\bepoch[ :#\[]+[01] ?(/|of) ?(?P<last>\d+))");
  static const base::Regex progress = compiled(
      R"(\d+/\d+ \[|\bloss\b|step[ :=]+\d|it/s|s/it|\d+%\||iter\w*[ :=#]+\d|done|finished|complete|saved)");
  std::optional<SilentSign> sign;
  for_each_tail_line(bytes, [&](std::string_view line, LineSpan span) {
    if (progress.found_in(line)) {
      sign.reset();
    } else if (const auto epoch = first_epoch.capture(line); epoch && number_in(*epoch, "last") > 1) {
      sign = SilentSign{"hang.silent", log, span};
    }
  });
  return bytes.size() <= kWindow ? sign : std::nullopt;
}

// A bar of rank 0's preparation stands below 100 % and a traceback without a reason follows.
std::optional<SilentSign> preparation_unfinished(std::size_t log, std::string_view bytes) {
  static const base::Regex bar = compiled(R"((?P<percent>\d{1,3})%\|)");
  static const base::Regex traceback = compiled("Traceback");
  std::optional<SilentSign> last_bar;
  std::optional<SilentSign> sign;
  for_each_tail_line(bytes, [&](std::string_view line, LineSpan span) {
    if (const auto percent = bar.capture(line)) {
      last_bar.reset();
      if (number_in(*percent, "percent") < 100) last_bar = SilentSign{"hang.prepare_silent", log, span};
    }
    if (last_bar && traceback.found_in(line)) sign = last_bar;
  });
  return sign;
}

// Rates per device, for runs with different numbers of devices in one log.
std::optional<SilentSign> no_scaling(std::size_t log, std::string_view bytes) {
  static const base::Regex devices = compiled(R"(number of (gpus|devices|workers): *(?P<count>\d+))");
  static const base::Regex rate =
      compiled(R"((?P<rate>[\d.]+) (img|images|samples|examples)/sec per (gpu|device))");
  static const base::Regex total_rate =
      compiled(R"((img|images|samples|examples)/sec per (gpu|device): *(?P<rate>[\d.]+))");
  double count = 0;
  std::map<double, std::pair<double, LineSpan>> best;  // by number of devices
  for_each_tail_line(bytes, [&](std::string_view line, LineSpan span) {
    if (const auto found = devices.capture(line)) count = number_in(*found, "count").value_or(0);
    auto found = rate.capture(line);
    if (!found) found = total_rate.capture(line);
    if (!found || count == 0) return;
    auto& entry = best[count];
    if (const double seen = number_in(*found, "rate").value_or(0); seen > entry.first) entry = {seen, span};
  });
  constexpr double kPoorShare = 0.7;
  if (best.size() < 2 || best.rbegin()->second.first > kPoorShare * best.begin()->second.first)
    return std::nullopt;
  return SilentSign{"slow.scaling", log, best.rbegin()->second.second};
}

// nvidia-smi shows memory taken on GPUs of which one works and another does not.
std::optional<SilentSign> uneven_gpus(std::size_t log, std::string_view bytes) {
  static const base::Regex row = compiled(R"((?P<used>\d+)MiB */ *(?P<all>\d+)MiB \| *(?P<busy>\d+)%)");
  double busiest = 0;
  double idlest = 100;
  double idlest_memory = 0;
  LineSpan idlest_line;
  for_each_tail_line(bytes, [&](std::string_view line, LineSpan span) {
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
  constexpr double kBusy = 50;
  constexpr double kIdle = 10;
  if (busiest < kBusy || idlest > kIdle) return std::nullopt;
  constexpr double kTaken = 0.3;
  return SilentSign{idlest_memory > kTaken ? "slow.uneven_gpus" : "parallel.idle_gpu", log, idlest_line};
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

std::vector<double> rates_between(std::string_view bytes, std::size_t begin, std::size_t end,
                                  LineSpan& last) {
  static const base::Regex per_second =
      compiled(R"((?P<rate>[\d.]+) ?(it|steps?|img|images|samples|examples|tokens)/s)");
  static const base::Regex seconds = compiled(R"((?P<time>[\d.]+) ?s/(it|step)\b)");
  std::vector<double> rates;
  for_each_line(bytes, begin, end, [&](std::string_view line, LineSpan span) {
    double rate = 0;
    if (const auto found = per_second.capture(line)) {
      rate = number_in(*found, "rate").value_or(0);
    } else if (const auto slow = seconds.capture(line)) {
      rate = 1 / std::max(1e-9, number_in(*slow, "time").value_or(0));
    }
    if (rate <= 0) return;
    rates.push_back(rate);
    last = span;
  });
  return rates;
}

std::optional<SilentSign> rate_falls(std::size_t log, std::string_view bytes) {
  if (bytes.size() < 2 * kWindow) return std::nullopt;
  LineSpan last;
  const std::vector<double> first_rates = rates_between(bytes, 0, kWindow, last);
  const std::vector<double> last_rates = rates_between(bytes, bytes.size() - kWindow, bytes.size(), last);
  constexpr std::size_t kEnough = 50;
  constexpr double kFallen = 0.4;
  if (first_rates.size() < kEnough || last_rates.size() < kEnough) return std::nullopt;
  if (median(last_rates) > kFallen * median(first_rates)) return std::nullopt;
  return SilentSign{"slow.rate_falls", log, last};
}

struct Loss {
  double value = 0;
  LineSpan line;
};

std::vector<Loss> losses_between(std::string_view bytes, std::size_t begin, std::size_t end) {
  static const base::Regex loss = compiled(R"(\bloss[\x27"]?[ :=]+(?P<loss>\d+(\.\d*)?(e[+-]?\d+)?)\b)");
  std::vector<Loss> losses;
  for_each_line(bytes, begin, end, [&](std::string_view line, LineSpan span) {
    const auto found = loss.capture(line);
    if (const auto value = found ? number_in(*found, "loss") : std::nullopt) losses.push_back({*value, span});
  });
  return losses;
}

double median_loss(std::span<const Loss> losses) {
  std::vector<double> values;
  for (const Loss& loss : losses) values.push_back(loss.value);
  return median(std::move(values));
}

// A hundredfold: a diverging loss grows by a factor in each step, a noisy one does not.
std::optional<SilentSign> loss_grows(std::size_t log, std::string_view bytes) {
  const std::size_t window = std::min(bytes.size(), kWindow);
  const std::vector<Loss> first = losses_between(bytes, 0, window);
  const std::vector<Loss> last = losses_between(bytes, bytes.size() - window, bytes.size());
  constexpr std::size_t kEnough = 16;
  constexpr std::size_t kAtAnEnd = 4;
  constexpr double kGrown = 100;
  if (first.size() < kEnough || last.size() < kEnough) return std::nullopt;
  const double at_start = median_loss(std::span(first).first(kAtAnEnd));
  const double at_end = median_loss(std::span(last).last(kAtAnEnd));
  if (at_start <= 0 || at_end < kGrown * at_start) return std::nullopt;
  return SilentSign{"converge.diverges", log, last.back().line};
}

}  // namespace

std::optional<SilentSign> silent_sign(std::span<const LogText> logs, const Context& context) {
  for (std::size_t log = 0; log < logs.size(); ++log) {
    const std::string_view bytes = logs[log].bytes;
    if (context.knows("rank_zero_work")) {
      if (auto sign = preparation_unfinished(log, bytes)) return sign;
    }
    if (auto sign = no_scaling(log, bytes)) return sign;
    if (auto sign = uneven_gpus(log, bytes)) return sign;
    if (auto sign = rate_falls(log, bytes)) return sign;
    if (auto sign = loss_grows(log, bytes)) return sign;
    if (logs.size() == 1 && context.knows("distributed")) {
      if (auto sign = never_moved(log, bytes)) return sign;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::symptoms
