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
  std::optional<std::string_view> value = {};  // that stands in the same word
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

std::string plain_name(std::string_view name) {
  std::string plain(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  std::ranges::replace(plain, '-', '_');
  return plain;
}

TypedFlag typed_flag(const FoundFlag& found, std::string word) {
  TypedFlag typed{found.flag, plain_name(found.name), {}, {std::move(word)}};
  if (found.flag->values != 0 && found.value) typed.values.emplace_back(*found.value);
  return typed;
}

// -n4 is -n with its value; -lu is -l and -u; -lun4 is all three. Empty when a letter of it is no flag.
std::vector<TypedFlag> joined_flags(std::string_view word, const LauncherTable& table) {
  std::vector<TypedFlag> flags;
  for (std::string_view rest = word.substr(1); !rest.empty();) {
    FoundFlag found = flag_named(std::string{'-', rest.front()}, table);
    if (found.flag == nullptr) return {};
    const std::string_view behind = rest.substr(1);
    const bool ends_here = found.flag->values != 0 || behind.empty();
    if (ends_here && !behind.empty()) found.value = behind.substr(behind.front() == '=' ? 1 : 0);
    flags.push_back(typed_flag(found, fmt::format("-{}", ends_here ? rest : rest.substr(0, 1))));
    if (ends_here) break;
    rest = behind;
  }
  return flags;
}

// What one word says, without the words that follow it. Empty when it is not in the table.
std::vector<TypedFlag> flags_of_word(const std::string& word, const LauncherTable& table) {
  const std::size_t equals = word.find('=');
  if (FoundFlag found = flag_named(word.substr(0, equals), table); found.flag != nullptr) {
    if (equals != std::string::npos) found.value = std::string_view(word).substr(equals + 1);
    return {typed_flag(found, word)};
  }
  const bool may_be_joined = table.rules.short_may_be_joined && word.size() > 2 && word[1] != '-';
  return may_be_joined ? joined_flags(word, table) : std::vector<TypedFlag>{};
}

Error cannot_read(std::string_view where, std::string why) {
  return {"cannot read the command", std::string(where), std::move(why), ""};
}

enum class Unknown { kIsAnError, kMayHaveValue };

bool is_flag(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

// How many words an unknown flag takes where that is told by what follows, and whether it stays open.
std::size_t words_of_unknown(std::span<const std::string> words, const LauncherTable& table,
                             const WordQuestions& questions, SplitCommand& result) {
  result.unknown.push_back(words.front());
  if (words.front().find('=') != std::string::npos || words.size() < 2 || is_flag(words[1])) return 1;
  if (questions.begins_program(words.subspan(1))) return 1;
  result.open.push_back(words.front() + " " + words[1]);
  // A value has something behind it: flags, and the program.
  const bool has_more = std::ranges::any_of(words.subspan(2), [&](const std::string& word) {
    return questions.may_be_words(word) || (is_flag(word) && !flags_of_word(word, table).empty());
  });
  bool has_program = false;
  for (std::size_t at = 2; at < words.size() && !has_program; ++at)
    has_program = questions.begins_program(words.subspan(at));
  return has_more || has_program ? 2 : 1;
}

Result<SplitCommand> split(std::span<const std::string> words, const LauncherTable& table, Unknown unknown,
                           const WordQuestions* questions = nullptr) {
  SplitCommand result;
  std::size_t at = 0;
  while (at < words.size()) {
    const std::string& word = words[at];
    if (word == "--") {
      ++at;
      break;
    }
    if (questions != nullptr && questions->may_be_words(word)) {
      result.open.push_back(word);
      ++at;
      continue;
    }
    if (word.size() < 2 || word.front() != '-') break;
    std::vector<TypedFlag> flags = flags_of_word(word, table);
    if (flags.empty() && unknown == Unknown::kMayHaveValue) {
      const bool has_value =
          word.find('=') == std::string::npos && at + 1 < words.size() && !words[at + 1].starts_with("--");
      at += has_value ? 2 : 1;
      continue;
    }
    if (flags.empty() && questions != nullptr) {
      // Behind a word that may be the program, flags of nobody are the program's.
      if (!result.open.empty() && questions->may_be_words(result.open.back()) && at > 0 &&
          questions->may_be_words(words[at - 1]))
        break;
      at += words_of_unknown(words.subspan(at), table, *questions, result);
      continue;
    }
    if (flags.empty()) {
      return cannot_read(
          word, fmt::format("not a flag of {} that Lockstep knows, so it cannot tell where its values end",
                            table.launcher));
    }
    TypedFlag& last = flags.back();
    const auto missing =
        static_cast<std::size_t>(std::max(last.flag->values - static_cast<int>(last.values.size()), 0));
    if (at + 1 + missing > words.size() && unknown == Unknown::kMayHaveValue) break;
    // An open word may be the rest of the values.
    if (at + 1 + missing > words.size() && questions != nullptr && !result.open.empty()) break;
    if (at + 1 + missing > words.size()) return cannot_read(word, "its value is missing");
    for (const std::string& value : words.subspan(at + 1, missing)) {
      last.values.push_back(value);
      last.words.push_back(value);
    }
    for (TypedFlag& flag : flags) flag.at = at;
    result.flags.insert(result.flags.end(), flags.begin(), flags.end());
    at += 1 + missing;
  }
  result.program_at = at;
  result.program.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return result;
}

}  // namespace

Result<SplitCommand> split_command(std::span<const std::string> words, const LauncherTable& table) {
  return split(words, table, Unknown::kIsAnError);
}

Result<SplitCommand> split_openly(std::span<const std::string> words, const LauncherTable& table,
                                  const WordQuestions& questions) {
  return split(words, table, Unknown::kIsAnError, &questions);
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
