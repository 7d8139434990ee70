#include "base/text_search/factors.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"

namespace lockstep::base {
namespace {

constexpr std::size_t kMaxPaths = 96;
constexpr std::size_t kMaxStringsOfWindow = 2048;
// Costs are counted in lines that must be looked at for each megabyte of ordinary text. A window that is
// there without its factor costs little, and each string of a window fills the filter a little, however rare
// it is.
constexpr double kCostOfString = 0.02;
constexpr double kCostOfWindow = 0.2;
constexpr double kMaxCost = 8000;

constexpr std::size_t kAnything = static_cast<std::size_t>(-1);
using Path = std::vector<std::size_t>;  // positions, or kAnything where the match does not reach

unsigned char without_value(unsigned char c) {
  return c >= '0' && c <= '9' ? '0' : c;
}

// All ways to go `steps` further from the end of each path; false where there are too many.
bool extend(std::vector<Path>& paths, std::size_t steps, const std::vector<std::vector<std::size_t>>& ways,
            const std::vector<bool>& is_end) {
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<Path> longer;
    for (const Path& path : paths) {
      const std::size_t at = path.back();
      const bool is_over = at == kAnything || is_end[at];
      const std::vector<std::size_t> anything = {kAnything};
      for (const std::size_t to : is_over ? anything : ways[at]) {
        longer.push_back(path);
        longer.back().push_back(to);
      }
    }
    if (longer.size() > kMaxPaths) return false;
    paths = std::move(longer);
  }
  return true;
}

// "[\x41\x61]"; nothing for a byte that may be any.
std::string expression_for(const ByteClass& bytes) {
  if (bytes.all()) return {};
  std::string text = "[";
  for (std::size_t byte = 0; byte < bytes.size(); ++byte) {
    if (bytes[byte]) text += fmt::format("\\x{:02x}", byte);
  }
  return text + "]";
}

// "ab" and "c(d|e)" of "ab|c(d|e)".
std::vector<std::string_view> alternatives_of(std::string_view regex) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  bool is_in_bracket = false;
  for (std::size_t at = 0; at < regex.size(); ++at) {
    const char c = regex[at];
    if (c == '\\') {
      ++at;
    } else if (is_in_bracket) {
      is_in_bracket = c != ']';
    } else if (c == '[') {
      is_in_bracket = true;
      if (regex.substr(at + 1).starts_with('^')) ++at;
      if (regex.substr(at + 1).starts_with(']')) ++at;
    } else if (c == '|' && depth == 0) {
      parts.push_back(regex.substr(begin, at - begin));
      begin = at + 1;
    }
    if (!is_in_bracket && c == '(') ++depth;
    if (!is_in_bracket && c == ')') --depth;
  }
  parts.push_back(regex.substr(begin));
  return parts;
}

}  // namespace

std::uint32_t window_value(std::span<const unsigned char, kWindowBytes> bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), kWindowBytes);
  return value | kFold;
}

std::vector<unsigned char> folded_bytes(const ByteClass& bytes) {
  ByteClass folded;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    if (bytes[byte]) folded.set(byte | 0x20U);
  }
  std::vector<unsigned char> list;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    if (folded[byte]) list.push_back(static_cast<unsigned char>(byte));
  }
  return list;
}

FactorSet joined(FactorSet set, const FactorSet& more) {
  const auto classes_before = static_cast<std::uint16_t>(set.classes.size());
  set.classes.insert(set.classes.end(), more.classes.begin(), more.classes.end());
  for (Factor factor : more.factors) {
    for (std::uint16_t& number : factor) number = static_cast<std::uint16_t>(number + classes_before);
    set.factors.push_back(factor);
  }
  return set;
}

Commonness::Commonness(std::string_view ordinary_text)
    : per_megabyte_(1e6 / static_cast<double>(std::max<std::size_t>(1, ordinary_text.size()))) {
  std::array<unsigned char, kWindowBytes> window{};
  for (std::size_t at = 0; at + kWindowBytes <= ordinary_text.size(); ++at) {
    for (std::size_t i = 0; i < kWindowBytes; ++i)
      window[i] = without_value(static_cast<unsigned char>(ordinary_text[at + i]));
    ++counts_[window_value(window)];
  }
}

double Commonness::of(std::span<const unsigned char, kWindowBytes> window) const {
  std::array<unsigned char, kWindowBytes> plain{};
  std::ranges::transform(window, plain.begin(), without_value);
  const auto found = counts_.find(window_value(plain));
  return found == counts_.end() ? 0 : found->second * per_megabyte_;
}

double Commonness::of_bits(const WindowBits& bits, std::uint32_t mix) const {
  double sum = 0;
  for (const auto& [value, count] : counts_) {
    if (bits.may_have(hash_of_window(value, mix))) sum += count;
  }
  return sum;
}

std::vector<std::string> FactorChooser::add(std::string_view regex) {
  std::vector<std::string> without_factors;
  for (const std::string_view alternative : alternatives_of(regex)) {
    if (add_alternative(alternative)) continue;
    const std::vector<std::string> shorter = short_expressions(alternative);
    without_factors.insert(without_factors.end(), shorter.begin(), shorter.end());
  }
  std::ranges::sort(chosen_.factors);
  const auto repeated = std::unique(chosen_.factors.begin(), chosen_.factors.end());
  chosen_.factors.erase(repeated, chosen_.factors.end());
  return without_factors;
}

FactorSet FactorChooser::take() && {
  choose_mix();
  return std::move(chosen_);
}

bool FactorChooser::add_alternative(std::string_view regex) {
  const std::optional<RegexShape> shape = shape_of(regex);
  if (!shape) return false;
  const std::optional<Choice> best = best_for(*shape, shape->root, kFactorBytes);
  if (!best || best->cost > kMaxCost) return false;
  chosen_.factors.insert(chosen_.factors.end(), best->factors.begin(), best->factors.end());
  return true;
}

std::vector<std::string> FactorChooser::short_expressions(std::string_view regex) {
  const std::optional<RegexShape> shape = shape_of(regex);
  const std::optional<Choice> best = shape ? best_for(*shape, shape->root, kWindowBytes) : std::nullopt;
  if (!best || best->cost > kMaxCost) return {std::string(regex)};
  std::vector<std::string> expressions;
  for (const Factor& factor : best->factors) {
    std::string expression;
    for (std::size_t i = 0; i < kWindowBytes; ++i) expression += expression_for(chosen_.classes[factor[i]]);
    expressions.push_back(std::move(expression));
  }
  return expressions;
}

// What every walk through the node must pass: one of the parts of a sequence, all of a choice.
std::optional<FactorChooser::Choice> FactorChooser::best_for(const RegexShape& shape, const RegexNode& node,
                                                             std::size_t length) {
  switch (node.kind) {
    case RegexNode::Kind::kBytes:
      return best_around(shape, node.position, length);
    case RegexNode::Kind::kOptional:
      return std::nullopt;
    case RegexNode::Kind::kRepeated:
    case RegexNode::Kind::kSequence: {
      std::optional<Choice> best;
      for (const RegexNode& child : node.children) {
        std::optional<Choice> choice = best_for(shape, child, length);
        if (choice && (!best || choice->cost < best->cost)) best = std::move(choice);
      }
      return best;
    }
    case RegexNode::Kind::kChoice:
      break;
  }
  Choice all;
  for (const RegexNode& child : node.children) {
    const std::optional<Choice> choice = best_for(shape, child, length);
    if (!choice) return std::nullopt;
    all.cost += choice->cost;
    all.factors.insert(all.factors.end(), choice->factors.begin(), choice->factors.end());
  }
  return all;
}

// Every way to pass the position, with so many bytes before it as make the rarest factors.
std::optional<FactorChooser::Choice> FactorChooser::best_around(const RegexShape& shape, std::size_t position,
                                                                std::size_t length) {
  std::optional<Choice> best;
  for (std::size_t before = 0; before < length; ++before) {
    std::vector<Path> left = {{position}};
    std::vector<Path> right = {{position}};
    if (!extend(left, before, shape.before, shape.can_begin)) break;
    if (!extend(right, length - 1 - before, shape.next, shape.can_end)) continue;
    if (left.size() * right.size() > kMaxPaths) continue;
    Choice choice;
    std::set<WindowClasses> windows;
    bool is_sound = true;
    for (const Path& to_left : left) {
      for (const Path& to_right : right) {
        Path path(to_left.rbegin(), to_left.rend());
        path.insert(path.end(), to_right.begin() + 1, to_right.end());
        Factor factor{};
        std::ranges::transform(path, factor.begin(), [&](std::size_t place) {
          return class_number(place == kAnything ? ~ByteClass() : shape.bytes[place]);
        });
        is_sound = is_sound && add_cost(factor, length, windows, choice.cost);
        choice.factors.push_back(factor);
      }
    }
    if (is_sound && (!best || choice.cost < best->cost)) best = std::move(choice);
  }
  return best;
}

// False where a window of it stands for too many strings. `windows` are those whose cost is counted already.
bool FactorChooser::add_cost(const Factor& factor, std::size_t length, std::set<WindowClasses>& windows,
                             double& sum) {
  double least = std::numeric_limits<double>::max();
  for (std::size_t at = 0; at + kWindowBytes <= length; ++at) {
    WindowClasses window{};
    std::copy_n(factor.begin() + static_cast<std::ptrdiff_t>(at), kWindowBytes, window.begin());
    const std::optional<double> cost = cost_of_window(window);
    if (!cost) return false;
    if (windows.insert(window).second) sum += kCostOfWindow * *cost;
    least = std::min(least, *cost);
  }
  sum += least;
  return true;
}

std::optional<double> FactorChooser::cost_of_window(const WindowClasses& window) {
  const auto [known, is_new] = window_costs_.try_emplace(window);
  if (!is_new) return known->second;
  std::size_t strings = 1;
  for (const std::uint16_t number : window) strings *= std::max<std::size_t>(1, folded_[number].size());
  if (strings > kMaxStringsOfWindow) return std::nullopt;
  double cost = 0;
  for (std::size_t i = 0; i < strings; ++i) {
    std::array<unsigned char, kWindowBytes> bytes{};
    std::size_t rest = i;
    for (std::size_t k = 0; k < kWindowBytes; ++k) {
      const auto& choices = folded_[window[k]];
      if (choices.empty()) return known->second = 0;
      bytes[k] = choices[rest % choices.size()];
      rest /= choices.size();
    }
    cost += commonness_.of(bytes);
  }
  return known->second = cost + kCostOfString * static_cast<double>(strings);
}

std::uint16_t FactorChooser::class_number(const ByteClass& bytes) {
  const auto known = std::ranges::find(chosen_.classes, bytes);
  const auto number = static_cast<std::uint16_t>(known - chosen_.classes.begin());
  if (known != chosen_.classes.end()) return number;
  CHECK(chosen_.classes.size() < 0xFFFF, "patterns use few classes of bytes");
  chosen_.classes.push_back(bytes);
  folded_.push_back(folded_bytes(bytes));
  return number;
}

// The multiplier by which the fewest windows of ordinary text are taken for one of a factor.
void FactorChooser::choose_mix() {
  constexpr int kTries = 50;
  std::vector<std::uint32_t> wanted;
  for (const Factor& factor : chosen_.factors) {
    for (std::size_t at = 0; at + kWindowBytes <= kFactorBytes; ++at)
      for_each_string(folded_, factor, at, [&](std::uint32_t value) { wanted.push_back(value); });
  }
  std::mt19937 random(1);
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < kTries && least > 0; ++i) {
    const std::uint32_t mix = static_cast<std::uint32_t>(random()) | 1U;
    WindowBits bits;
    for (const std::uint32_t value : wanted) bits.add(hash_of_window(value, mix));
    const double sum = commonness_.of_bits(bits, mix);
    if (sum >= least) continue;
    least = sum;
    chosen_.mix = mix;
  }
}

// Classes, then factors: "65,97 48-57;0 1 1 0 0 1 0;..." with ranges of bytes.
std::string to_text(const FactorSet& set) {
  std::string text = fmt::format("{} ", set.mix);
  for (const ByteClass& bytes : set.classes) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      if (!bytes[byte]) continue;
      std::size_t last = byte;
      while (last < 255 && bytes[last + 1]) ++last;
      text += fmt::format("{} {} ", byte, last);
      byte = last;
    }
    text += ";";
  }
  text += "|";
  for (const Factor& factor : set.factors) {
    for (const std::uint16_t number : factor) text += fmt::format("{} ", number);
  }
  return text;
}

FactorSet factors_from_text(std::string_view text) {
  FactorSet set;
  const auto take_number = [&] {
    unsigned number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    CHECK(fault == std::errc(), "stored factors are numbers");
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    return number;
  };
  set.mix = take_number();
  while (!text.starts_with('|')) {
    ByteClass bytes;
    while (!text.starts_with(';')) {
      const unsigned first = take_number();
      const unsigned last = take_number();
      for (unsigned byte = first; byte <= last; ++byte) bytes.set(byte);
    }
    text.remove_prefix(1);
    set.classes.push_back(bytes);
  }
  text.remove_prefix(1);
  while (!text.empty()) {
    Factor factor{};
    for (std::uint16_t& number : factor) number = static_cast<std::uint16_t>(take_number());
    set.factors.push_back(factor);
  }
  return set;
}

}  // namespace lockstep::base
