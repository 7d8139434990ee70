// Written by hand rather than over CLI11 2.1, which was tried: it gives words after "--" to the positionals
// and fails on a second "--", so a job's command does not arrive byte for byte; `--out --json` swallows the
// flag; an unknown flag carries no name to suggest from but a finished sentence.
#include "cli/parse.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "base/closest.h"

namespace lockstep::cli {
namespace {

bool is_negative_number(std::string_view word) {
  const std::size_t digit = word.starts_with("-.") ? 2 : 1;
  return word.size() > digit && std::isdigit(static_cast<unsigned char>(word[digit])) != 0;
}

bool is_flag(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && !is_negative_number(word);
}

std::string suggestion(std::string_view word, const std::vector<std::string_view>& known) {
  const auto meant = base::closest(word, known);
  return meant ? fmt::format("did you mean '{}'?  ", *meant) : "";
}

std::string usage_hint(const Verb& verb) {
  return fmt::format("usage: lockstep {}", verb.usage);
}

class VerbParser {
 public:
  VerbParser(const Verb& verb, std::span<const std::string> words)
      : verb_(verb), flags_(flags_of(verb)), rest_(words), args_(verb) {}

  Result<Request> parse() {
    while (!rest_.empty() && !wants_help_) {
      const std::string& word = take_word();
      if (word == "--") {
        take_everything_left();
      } else if (word.starts_with("--")) {
        TRY(take_long_flag(word));
      } else if (is_flag(word)) {
        TRY(take_short_flags(word));
      } else if (verb_.begins_command != nullptr && verb_.begins_command(word, args_.operands.size())) {
        args_.command.push_back(word);
        take_everything_left();
      } else {
        args_.operands.push_back(word);
      }
    }
    if (wants_help_) return Request(ShowHelp{&verb_});
    TRY(check_operands());
    TRY(check_command());
    return Request(RunVerb{&verb_, std::move(args_)});
  }

 private:
  const std::string& take_word() {
    const std::string& word = rest_.front();
    rest_ = rest_.subspan(1);
    return word;
  }

  void take_everything_left() {
    saw_separator_ = true;
    auto& target = verb_.command == TakesCommand::kNo ? args_.operands : args_.command;
    target.insert(target.end(), rest_.begin(), rest_.end());
    rest_ = {};
  }

  Result<void> take_long_flag(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view typed = word.substr(0, equals);
    const auto flag = std::ranges::find(flags_, typed.substr(2), &Flag::name);
    if (flag == flags_.end()) return unknown_flag(typed);

    std::optional<std::string> value;
    if (equals != std::string_view::npos) value = word.substr(equals + 1);
    if (flag->is_switch() && value) {
      return Error{fmt::format("flag '{}' takes no value", typed), "", "", fmt::format("write {}", typed)};
    }
    return take_flag(*flag, typed, std::move(value));
  }

  Result<void> take_short_flags(std::string_view word) {
    for (std::string_view left = word.substr(1); !left.empty();) {
      const auto flag = std::ranges::find(flags_, left.front(), &Flag::short_name);
      if (flag == flags_.end()) return unknown_flag(word);
      const std::string typed{'-', left.front()};
      left.remove_prefix(1);

      std::optional<std::string> value;
      if (!flag->is_switch() && !left.empty()) value = std::exchange(left, {});
      TRY(take_flag(*flag, typed, std::move(value)));
    }
    return {};
  }

  Result<void> take_flag(const Flag& flag, std::string_view typed, std::optional<std::string> value) {
    if (flag.is_switch()) {
      wants_help_ = wants_help_ || flag.name == "help";
      args_.add(flag.name, "");
      return {};
    }
    if (!value) {
      if (rest_.empty() || is_flag(rest_.front())) {
        return Error{fmt::format("missing {} after '{}'", flag.value_name, typed), "", "",
                     fmt::format("write --{}={}", flag.name, flag.value_name)};
      }
      value = take_word();
    }
    if (!flag.choices.empty() && std::ranges::find(flag.choices, *value) == flag.choices.end()) {
      const std::vector<std::string_view> choices(flag.choices.begin(), flag.choices.end());
      return Error{fmt::format("'{}' cannot be '{}'", typed, *value), "", "",
                   fmt::format("{}choose {}", suggestion(*value, choices), choices_in_words(choices))};
    }
    if (args_.has(flag.name) && !flag.repeatable) {
      return Error{fmt::format("flag '--{}' given twice", flag.name), "", "", "give it once"};
    }
    args_.add(flag.name, *std::move(value));
    return {};
  }

  Error unknown_flag(std::string_view word) const {
    std::vector<std::string> names;
    for (const Flag& flag : flags_) names.push_back(fmt::format("--{}", flag.name));
    return Error{fmt::format("unknown flag '{}'", word), "", "",
                 fmt::format("{}lockstep {} --help lists the flags",
                             suggestion(word, {names.begin(), names.end()}), verb_.name)};
  }

  Result<void> check_operands() const {
    const Operands& wanted = verb_.operands;
    if (args_.operands.size() < wanted.min) {
      return Error{fmt::format("missing {}", wanted.name), "", "", usage_hint(verb_)};
    }
    if (args_.operands.size() > wanted.max) {
      const bool looks_like_command = verb_.command != TakesCommand::kNo && !saw_separator_;
      return Error{fmt::format("unexpected argument '{}'", args_.operands[wanted.max]), "", "",
                   looks_like_command
                       ? fmt::format("put the job's command after --:  lockstep {}", verb_.usage)
                       : usage_hint(verb_)};
    }
    return {};
  }

  Result<void> check_command() const {
    if (verb_.command != TakesCommand::kMust || !args_.command.empty()) return {};
    return Error{"missing command", "", "",
                 fmt::format("the job's command follows the flags:  lockstep {}", verb_.usage)};
  }

  const Verb& verb_;
  const std::vector<Flag> flags_;
  std::span<const std::string> rest_;
  Args args_;
  bool wants_help_ = false;
  bool saw_separator_ = false;
};

Result<Request> parse_program_flag(std::span<const std::string> words) {
  const std::string& word = words.front();
  const bool is_help = word == "--help" || word == "-h";
  if (!is_help && word != "--version" && word != "-V") {
    return Error{fmt::format("unknown flag '{}' before the verb", word), "", "",
                 fmt::format("{}a verb's flags come after it:  lockstep VERB [flags]",
                             suggestion(word, {"--help", "--version"}))};
  }
  if (words.size() > 1) {
    return Error{fmt::format("unexpected argument '{}' after '{}'", words[1], word), "", "",
                 "for the help of one verb:  lockstep VERB --help"};
  }
  return is_help ? Request(ShowHelp{}) : Request(ShowVersion{});
}

}  // namespace

Error unknown_verb(std::string_view word, VerbTable verbs) {
  std::vector<std::string_view> names;
  for (const Verb* verb : verbs) names.push_back(verb->name);
  return Error{fmt::format("unknown verb '{}'", word), "", "",
               fmt::format("{}lockstep --help lists the verbs", suggestion(word, names))};
}

Result<Request> parse(std::span<const std::string> words, VerbTable verbs) {
  if (is_flag(words.front())) return parse_program_flag(words);
  const Verb* verb = find_verb(verbs, words.front());
  if (verb == nullptr) return unknown_verb(words.front(), verbs);
  return VerbParser(*verb, words.subspan(1)).parse();
}

}  // namespace lockstep::cli
