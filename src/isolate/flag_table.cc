#include "isolate/flag_table.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace lockstep::isolate {
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

const LauncherFlag* flag_named(std::string_view name, std::span<const LauncherFlag> table,
                               const FlagRules& rules) {
  const std::string wanted = comparable(name, rules);
  const LauncherFlag* shortened = nullptr;
  bool is_ambiguous = false;
  for (const LauncherFlag& flag : table) {
    bool is_it = false;
    bool may_be_it = false;
    for_each_name(flag, [&](std::string_view known) {
      const std::string candidate = comparable(known, rules);
      is_it |= candidate == wanted;
      may_be_it |= wanted.size() > 2 && wanted.starts_with("--") && candidate.starts_with(wanted);
    });
    if (is_it) return &flag;
    if (!may_be_it) continue;
    is_ambiguous |= shortened != nullptr;
    shortened = &flag;
  }
  return rules.may_be_shortened && !is_ambiguous ? shortened : nullptr;
}

struct FoundFlag {
  const LauncherFlag* flag = nullptr;
  bool has_value_inside = false;
};

// -n4 is -n with its value; -lu is -l and -u, both without.
FoundFlag find_joined(std::string_view word, std::span<const LauncherFlag> table, const FlagRules& rules) {
  const LauncherFlag* const first = flag_named(word.substr(0, 2), table, rules);
  if (first == nullptr || first->values > 0 || first->fate == Fate::kRefuse) return {first, true};
  for (const char letter : word.substr(2)) {
    const LauncherFlag* const next = flag_named(std::string{'-', letter}, table, rules);
    if (next == nullptr || next->values > 0 || next->fate != first->fate) return {};
  }
  return {first, true};
}

FoundFlag find_flag(std::string_view word, std::span<const LauncherFlag> table, const FlagRules& rules) {
  const std::size_t equals = word.find('=');
  if (const LauncherFlag* flag = flag_named(word.substr(0, equals), table, rules)) {
    return {flag, equals != std::string_view::npos};
  }
  if (rules.short_may_be_joined && word.size() > 2 && word[1] != '-') return find_joined(word, table, rules);
  return {};
}

}  // namespace

Error cannot_reduce(std::string_view where, std::string_view why) {
  return {"cannot reduce the command to one rank", std::string(where), std::string(why),
          "give the command that starts one rank, as in 'lockstep isolate -- python train.py'"};
}

Result<SplitCommand> split_command(std::string_view launcher, std::span<const std::string> words,
                                   std::span<const LauncherFlag> table, const FlagRules& rules) {
  SplitCommand split;
  std::size_t at = 0;
  while (at < words.size()) {
    const std::string& word = words[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (word.size() < 2 || word.front() != '-') break;
    const FoundFlag found = find_flag(word, table, rules);
    if (found.flag == nullptr) {
      return cannot_reduce(
          word, fmt::format("not a flag of {} that Lockstep knows, so it cannot tell where its values end",
                            launcher));
    }
    if (found.flag->fate == Fate::kRefuse) return cannot_reduce(word, found.flag->why);
    const int following = found.flag->values - (found.has_value_inside ? 1 : 0);
    const std::size_t end = at + 1 + static_cast<std::size_t>(std::max(following, 0));
    if (end > words.size()) return cannot_reduce(word, "its value is missing");
    Words& target = found.flag->fate == Fate::kKeep ? split.kept : split.dropped;
    target.insert(target.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                  words.begin() + static_cast<std::ptrdiff_t>(end));
    at = end;
  }
  split.program.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  if (split.program.empty()) return cannot_reduce(launcher, "it names no program to run");
  return split;
}

}  // namespace lockstep::isolate
