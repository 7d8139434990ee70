#include "top/figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"

namespace lockstep::top {

namespace {

constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

std::string of_seconds(std::int64_t ns) {
  return ns < 9'950'000'000 ? fmt::format("{:.1f}s", static_cast<double>(ns) / 1e9)
                            : fmt::format("{}s", ns / kSecond);
}

}  // namespace

std::string short_time(std::int64_t ns) {
  ns = std::max<std::int64_t>(ns, 0);
  if (ns < kMillisecond) return fmt::format("{}us", ns / kMicrosecond);
  if (ns < kSecond) return fmt::format("{}ms", ns / kMillisecond);
  if (ns < kMinute) return of_seconds(ns);
  if (ns < kHour) return fmt::format("{}m{:02}s", ns / kMinute, ns % kMinute / kSecond);
  if (ns < kDay) return fmt::format("{}h{:02}m", ns / kHour, ns % kHour / kMinute);
  if (ns < 100 * kDay) return fmt::format("{}d{:02}h", ns / kDay, ns % kDay / kHour);
  return fmt::format("{}d", ns / kDay);
}

std::string short_rate(double per_second) {
  if (!std::isfinite(per_second) || per_second < 0) return "-";
  if (per_second == 0) return "0";
  if (per_second < 0.995) return fmt::format("{:.2f}", per_second);
  if (per_second < 99.95) return fmt::format("{:.1f}", per_second);
  if (per_second < 99'999.5) return fmt::format("{:.0f}", per_second);
  return per_second < 1e9 ? fmt::format("{:.0f}k", per_second / 1e3) : "many";
}

std::string short_share(double share) {
  if (!std::isfinite(share)) return "-";
  return fmt::format("{:.0f}%", 100 * std::clamp(share, 0.0, 1.0));
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t from_end = 3; from_end < digits.size(); from_end += 4) {
    digits.insert(digits.size() - from_end, 1, ',');
  }
  return digits;
}

namespace {

struct Entry {
  watch::RankState state;
  std::string_view word;
  std::string_view id;
  Ink ink;
};

using watch::RankState;

constexpr Entry kStates[] = {
    {RankState::kStarting, "starting", "starting", Ink::kDim},
    {RankState::kComputing, "computing", "computing", Ink::kGood},
    {RankState::kCommunicating, "in call", "communicating", Ink::kBusy},
    {RankState::kWaiting, "waiting", "waiting", Ink::kWarning},
    {RankState::kLate, "late", "late", Ink::kAlarm},
    {RankState::kStopped, "stopped", "stopped", Ink::kAlarm},
    {RankState::kGone, "gone", "gone", Ink::kAlarm},
    {RankState::kEnded, "ended", "ended", Ink::kDim},
};

const Entry& entry_of(RankState state) {
  const auto index = static_cast<std::size_t>(state);
  CHECK(index < std::size(kStates) && kStates[index].state == state, "every state has its entry, in order");
  return kStates[index];
}

}  // namespace

std::string_view word_of(RankState state) {
  return entry_of(state).word;
}

std::string_view id_of(RankState state) {
  return entry_of(state).id;
}

Ink ink_of(RankState state) {
  return entry_of(state).ink;
}

}  // namespace lockstep::top
