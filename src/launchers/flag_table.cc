#include "launchers/flag_table.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace lockstep::launchers {
namespace {

std::string comparable(std::string_view name, const FlagRules& rules) {
  std::string text(name);
  if (rules.underscore_is_dash) std::ranges::replace(text, '_', '-');
  return text;
}

template <typename Visit>
void for_each_name(const LauncherFlag& flag, Visit visit) {
  std::string_view rest = flag.names;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    visit(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

struct FoundFlag {
  const LauncherFlag* flag = nullptr;
  std::string name = {};
  bool has_value_inside = false;
};

FoundFlag flag_named(std::string_view name, const LauncherTable& table) {
  const std::string wanted = comparable(name, table.rules);
  FoundFlag shortened;
  bool is_ambiguous = false;
  for (const LauncherFlag& flag : table.flags) {
    FoundFlag exact;
    for_each_name(flag, [&](std::string_view known) {
      const std::string candidate = comparable(known, table.rules);
      if (candidate == wanted) exact = {&flag, candidate};
      const bool may_be_it = wanted.size() > 2 && wanted.starts_with("--") && candidate.starts_with(wanted);
      if (!may_be_it) return;
      is_ambiguous |= shortened.flag != nullptr && shortened.name != candidate;
      shortened = {&flag, candidate};
    });
    if (exact.flag != nullptr) return exact;
  }
  return table.rules.may_be_shortened && !is_ambiguous ? shortened : FoundFlag{};
}

// -n4 is -n with its value; -lu is -l and -u, both without.
FoundFlag find_joined(std::string_view word, const LauncherTable& table) {
  FoundFlag first = flag_named(word.substr(0, 2), table);
  first.has_value_inside = true;
  if (first.flag == nullptr || first.flag->values > 0 || first.flag->fate == Fate::kRefuse) return first;
  for (const char letter : word.substr(2)) {
    const LauncherFlag* const next = flag_named(std::string{'-', letter}, table).flag;
    if (next == nullptr || next->values > 0 || next->fate != first.flag->fate) return {};
  }
  return first;
}

FoundFlag find_flag(std::string_view word, const LauncherTable& table) {
  const std::size_t equals = word.find('=');
  if (FoundFlag found = flag_named(word.substr(0, equals), table); found.flag != nullptr) {
    found.has_value_inside = equals != std::string_view::npos;
    return found;
  }
  if (table.rules.short_may_be_joined && word.size() > 2 && word[1] != '-') return find_joined(word, table);
  return {};
}

std::string plain_name(std::string_view name) {
  std::string plain(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  std::ranges::replace(plain, '-', '_');
  return plain;
}

std::string value_inside(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (word.starts_with("--") || equals != std::string::npos) return word.substr(equals + 1);
  return word.substr(2);
}

TypedFlag typed_flag(const FoundFlag& found, std::span<const std::string> words) {
  TypedFlag typed{found.flag, plain_name(found.name), {}, Words(words.begin(), words.end())};
  if (found.has_value_inside && found.flag->values > 0) typed.values.push_back(value_inside(words.front()));
  typed.values.insert(typed.values.end(), words.begin() + 1, words.end());
  return typed;
}

Error cannot_read(std::string_view where, std::string why) {
  return {"cannot read the command", std::string(where), std::move(why), ""};
}

enum class Unknown { kIsAnError, kMayHaveValue };

Result<SplitCommand> split(std::span<const std::string> words, const LauncherTable& table, Unknown unknown) {
  SplitCommand result;
  std::size_t at = 0;
  while (at < words.size()) {
    const std::string& word = words[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (word.size() < 2 || word.front() != '-') break;
    const FoundFlag found = find_flag(word, table);
    if (found.flag == nullptr && unknown == Unknown::kMayHaveValue) {
      const bool has_value =
          word.find('=') == std::string::npos && at + 1 < words.size() && !words[at + 1].starts_with("--");
      at += has_value ? 2 : 1;
      continue;
    }
    if (found.flag == nullptr) {
      return cannot_read(
          word, fmt::format("not a flag of {} that Lockstep knows, so it cannot tell where its values end",
                            table.launcher));
    }
    const int following = found.flag->values - (found.has_value_inside ? 1 : 0);
    const std::size_t count = 1 + static_cast<std::size_t>(std::max(following, 0));
    if (at + count > words.size() && unknown == Unknown::kMayHaveValue) break;
    if (at + count > words.size()) return cannot_read(word, "its value is missing");
    result.flags.push_back(typed_flag(found, words.subspan(at, count)));
    at += count;
  }
  result.program.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return result;
}

}  // namespace

Result<SplitCommand> split_command(std::span<const std::string> words, const LauncherTable& table) {
  return split(words, table, Unknown::kIsAnError);
}

SplitCommand split_known(std::span<const std::string> words, const LauncherTable& table) {
  return split(words, table, Unknown::kMayHaveValue).value();
}

std::optional<std::string> value_of(const SplitCommand& split, std::string_view name) {
  std::optional<std::string> value;
  for (const TypedFlag& flag : split.flags) {
    if (flag.name == name) value = flag.values.empty() ? "" : flag.values.front();
  }
  return value;
}

}  // namespace lockstep::launchers
