#include <array>
#include <chrono>
#include <cstddef>

#include "model/line_origin.h"

namespace lockstep::model {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

bool is_decimal(char c) {
  return c >= '0' && c <= '9';
}

// Exactly `count` digits.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_decimal(text[i])) return std::nullopt;
    number = 10 * number + (text[i] - '0');
  }
  text.remove_prefix(count);
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool take_any(std::string_view& text, std::string_view choice) {
  if (text.empty() || choice.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// ".123", ",123456"
std::int64_t take_fraction(std::string_view& text) {
  if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !is_decimal(text[1])) return 0;
  text.remove_prefix(1);
  std::int64_t value = 0;
  std::int64_t unit = kSecond;
  for (; !text.empty() && is_decimal(text.front()); text.remove_prefix(1)) {
    unit /= 10;
    value += unit * (text.front() - '0');
  }
  return value;
}

// "10:00:01.123"
std::optional<std::int64_t> take_clock(std::string_view& text) {
  std::string_view rest = text;
  const auto hour = take_digits(rest, 2);
  if (!hour || *hour > 23 || !take(rest, ':')) return std::nullopt;
  const auto minute = take_digits(rest, 2);
  if (!minute || *minute > 59 || !take(rest, ':')) return std::nullopt;
  const auto second = take_digits(rest, 2);
  if (!second || *second > 60) return std::nullopt;
  text = rest;
  return (*hour * 3600LL + *minute * 60LL + *second) * kSecond + take_fraction(text);
}

std::optional<std::int64_t> day_in_ns(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || year < 1970 || year > 2200) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count() * 86'400 * kSecond;
}

// "2024-11-02", "2021/01/10"
std::optional<std::int64_t> take_date(std::string_view& text) {
  std::string_view rest = text;
  const auto year = take_digits(rest, 4);
  if (!year || !take_any(rest, "-/")) return std::nullopt;
  const auto month = take_digits(rest, 2);
  if (!month || !take_any(rest, "-/")) return std::nullopt;
  const auto day = take_digits(rest, 2);
  if (!day) return std::nullopt;
  const auto ns = day_in_ns(*year, *month, *day);
  if (ns) text = rest;
  return ns;
}

std::optional<std::int64_t> take_dated(std::string_view& text) {
  std::string_view rest = text;
  const auto date = take_date(rest);
  if (!date || !take_any(rest, " T_")) return std::nullopt;
  const auto clock = take_clock(rest);
  if (!clock) return std::nullopt;
  take(rest, 'Z');
  text = rest;
  return *date + *clock;
}

// glog: a letter for the severity, month and day, the clock
std::optional<std::int64_t> take_glog(std::string_view& text) {
  std::string_view rest = text;
  if (!take_any(rest, "IWEFDV")) return std::nullopt;
  const auto month = take_digits(rest, 2);
  const auto day = month ? take_digits(rest, 2) : std::nullopt;
  if (!day || !take(rest, ' ')) return std::nullopt;
  const auto date = day_in_ns(1970, *month, *day);
  const auto clock = date ? take_clock(rest) : std::nullopt;
  if (!clock) return std::nullopt;
  text = rest;
  return *date + *clock;
}

std::optional<int> take_month_name(std::string_view& text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (!text.starts_with(kMonths[i])) continue;
    text.remove_prefix(3);
    return static_cast<int>(i + 1);
  }
  return std::nullopt;
}

void take_day_name(std::string_view& text) {
  for (const std::string_view day : {"Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "}) {
    if (text.starts_with(day)) return text.remove_prefix(day.size());
  }
}

// "Nov  2 10:00:01", "Sat Nov  2 10:00:01 2024"
std::optional<std::int64_t> take_named_month(std::string_view& text) {
  std::string_view rest = text;
  take_day_name(rest);
  const auto month = take_month_name(rest);
  if (!month || !take(rest, ' ')) return std::nullopt;
  const auto day = take_digits(rest, take(rest, ' ') ? 1 : 2);
  if (!day || !take(rest, ' ')) return std::nullopt;
  const auto clock = take_clock(rest);
  if (!clock) return std::nullopt;
  std::string_view with_year = rest;
  int year = 1970;
  if (take(with_year, ' ')) {
    if (const auto named = take_digits(with_year, 4); named && *named >= 1970) {
      year = *named;
      rest = with_year;
    }
  }
  const auto date = day_in_ns(year, *month, *day);
  if (!date) return std::nullopt;
  text = rest;
  return *date + *clock;
}

}  // namespace

std::optional<std::int64_t> take_time(std::string_view& text) {
  std::string_view rest = text;
  const bool in_brackets = take(rest, '[');
  auto time = take_dated(rest);
  if (!time) time = take_glog(rest);
  if (!time) time = take_named_month(rest);
  if (!time) time = take_clock(rest);
  if (!time) return std::nullopt;
  if (in_brackets && !take(rest, ']')) {
    // "[2024-11-02 10:00:01.5: E operations.cc:548] text" keeps what the bracket says besides the time.
    if (!rest.starts_with(": ")) return std::nullopt;
  }
  take(rest, ':');
  while (take(rest, ' ')) {
  }
  text = rest;
  return time;
}

}  // namespace lockstep::model
