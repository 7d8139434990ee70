#include <fmt/format.h>

#include "cli/docs.h"
#include "cli/program.h"

namespace lockstep::cli {
namespace {

// What this program says itself when it is asked: names of jobs, codes of findings. Empty for other kinds.
std::string_view question_for(ValueKind kind) {
  switch (kind) {
    case ValueKind::kJob:
      return "lockstep jobs --names 2>/dev/null";
    case ValueKind::kCode:
      return "lockstep explain --codes 2>/dev/null";
    case ValueKind::kDemo:
      return "lockstep demo --names 2>/dev/null";
    default:
      return "";
  }
}

// Names hold no spaces and no shell characters; the words offered need no quoting of their own.
constexpr std::string_view kBashStart = R"(# bash completion for lockstep, made from its table of verbs.

_lockstep_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
}

_lockstep_paths() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$word")
}

_lockstep() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} i
    COMPREPLY=()
    # bash splits --flag=value into three words.
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if ((COMP_CWORD == 1)); then
)";

std::string bash_flag_words(std::span<const Flag> flags) {
  std::string words;
  for (const Flag& flag : flags) words += fmt::format("{}--{}", words.empty() ? "" : " ", flag.name);
  return words;
}

std::string bash_verb_words(VerbTable verbs) {
  std::string words;
  for (const Verb* verb : verbs) words += fmt::format("{}{}", words.empty() ? "" : " ", verb->name);
  return words;
}

std::string bash_offer(ValueKind kind, VerbTable verbs) {
  switch (kind) {
    case ValueKind::kFile:
      return "_lockstep_paths -f";
    case ValueKind::kFolder:
      return "_lockstep_paths -d";
    case ValueKind::kVerb:
      return fmt::format("_lockstep_words '{}'", bash_verb_words(verbs));
    default:
      break;
  }
  const std::string_view question = question_for(kind);
  return question.empty() ? ":" : fmt::format("_lockstep_words \"$({})\"", question);
}

std::string bash_value_cases(const Verb& verb, VerbTable verbs) {
  std::string cases;
  for (const Flag& flag : flags_of(verb)) {
    if (flag.is_switch()) continue;
    const std::string action = flag.choices.empty()
                                   ? bash_offer(flag.kind, verbs)
                                   : fmt::format("_lockstep_words '{}'", fmt::join(flag.choices, " "));
    cases += fmt::format("        {}:--{}", verb.name, flag.name);
    if (flag.short_name != '\0') cases += fmt::format(" | {}:-{}", verb.name, flag.short_name);
    cases += fmt::format(") {}; return ;;\n", action);
  }
  return cases;
}

std::string bash_names(VerbTable verbs, bool (*takes)(const Verb&)) {
  std::string names;
  for (const Verb* verb : verbs) {
    if (takes(*verb)) names += fmt::format("{}{}", names.empty() ? "" : " | ", verb->name);
  }
  return names;
}

// Behind "--" stands a command. Where one must stand, the first word begins it that is neither a flag nor a
// flag's value; the flags that take one are known by their cases.
std::string bash_command_loop(VerbTable verbs) {
  const std::string takers =
      bash_names(verbs, [](const Verb& verb) { return verb.command != TakesCommand::kNo; });
  if (takers.empty()) return "";
  std::string script = "    case ${COMP_WORDS[1]} in\n        " + takers + R"()
            for ((i = 2; i < COMP_CWORD; i++)); do
                [[ ${COMP_WORDS[i]} == -- ]] && { _lockstep_paths -cf; return; }
            done
            ;;
    esac
)";
  for (const Verb* verb : verbs) {
    if (verb->command != TakesCommand::kMust) continue;
    std::string with_value = "=";
    for (const Flag& flag : flags_of(*verb)) {
      if (flag.is_switch()) continue;
      with_value += fmt::format(" | --{}", flag.name);
      if (flag.short_name != '\0') with_value += fmt::format(" | -{}", flag.short_name);
    }
    script += fmt::format(R"(    if [[ ${{COMP_WORDS[1]}} == {} ]]; then
        for ((i = 2; i <= COMP_CWORD; i++)); do
            [[ ${{COMP_WORDS[i]}} == -* || ${{COMP_WORDS[i]}} == = ]] && continue
            case ${{COMP_WORDS[i - 1]}} in
                {}) continue ;;
            esac
            _lockstep_paths -cf
            return
        done
    fi
)",
                          verb->name, with_value);
  }
  return script;
}

}  // namespace

std::string bash_completion(VerbTable verbs) {
  std::string script(kBashStart);
  script += fmt::format("        _lockstep_words '{} {}'\n        return\n    fi\n", bash_verb_words(verbs),
                        bash_flag_words(kProgramFlags));
  script += bash_command_loop(verbs);
  script += "    case ${COMP_WORDS[1]}:$before in\n";
  for (const Verb* verb : verbs) script += bash_value_cases(*verb, verbs);
  script += "    esac\n    case ${COMP_WORDS[1]}:$word in\n";
  for (const Verb* verb : verbs) {
    script +=
        fmt::format("        {}:-*) _lockstep_words '{}' ;;\n", verb->name, bash_flag_words(flags_of(*verb)));
    script += fmt::format("        {}:*) {} ;;\n", verb->name, bash_offer(verb->operands.kind, verbs));
  }
  return script + "    esac\n}\n\ncomplete -F _lockstep lockstep\n";
}

namespace {

// Inside single quotes, in the text part of an _arguments or _describe entry.
std::string zsh_quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out += {'\\', c};
    } else {
      out += c;
    }
  }
  return out;
}

std::string zsh_action_for(ValueKind kind) {
  switch (kind) {
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kFolder:
      return "_files -/";
    case ValueKind::kVerb:
      return "_lockstep_verbs";
    default:
      break;
  }
  const std::string_view question = question_for(kind);
  return question.empty() ? "( )" : fmt::format("{{compadd -- $({})}}", question);
}

std::string zsh_flag_entry(const Flag& flag) {
  const std::string action =
      flag.choices.empty() ? zsh_action_for(flag.kind) : fmt::format("({})", fmt::join(flag.choices, " "));
  const std::string value = flag.is_switch() ? "" : fmt::format(":{}:{}", flag.value_name, action);
  const std::string_view equals = flag.is_switch() ? "" : "=";
  const std::string tail = fmt::format("[{}]{}", zsh_quoted(flag.help), value);
  if (flag.short_name == '\0')
    return fmt::format("'{}--{}{}{}'", flag.repeatable ? "*" : "", flag.name, equals, tail);

  const std::string forms =
      fmt::format("{{-{}{},--{}{}}}", flag.short_name, flag.is_switch() ? "" : "+", flag.name, equals);
  const std::string once = fmt::format("(-{} --{})", flag.short_name, flag.name);
  return fmt::format("'{}'{}'{}'", flag.repeatable ? "*" : once, forms, tail);
}

std::string zsh_entries(std::span<const Flag> flags) {
  std::string lines;
  for (const Flag& flag : flags) lines += fmt::format(" \\\n                {}", zsh_flag_entry(flag));
  return lines;
}

std::string zsh_verb_case(const Verb& verb) {
  std::string lines =
      fmt::format("        {})\n            _arguments -s", verb.name) + zsh_entries(flags_of(verb));
  if (verb.operands.max > 0) {
    lines +=
        fmt::format(" \\\n                '*:{}:{}'", verb.operands.name, zsh_action_for(verb.operands.kind));
  }
  if (verb.command != TakesCommand::kNo) lines += " \\\n                '*:::command:_normal'";
  return lines + "\n            ;;\n";
}

}  // namespace

std::string zsh_completion(VerbTable verbs) {
  std::string script = "#compdef lockstep\n# zsh completion for lockstep, made from its table of verbs.\n\n";
  script += "_lockstep_verbs() {\n    local -a verbs=(\n";
  for (const Verb* verb : verbs)
    script += fmt::format("        '{}:{}'\n", verb->name, zsh_quoted(verb->one_line));
  script += "    )\n    _describe -t verbs verb verbs\n}\n\n_lockstep() {\n    if ((CURRENT == 2)); then\n";
  script +=
      "        _arguments -s" + zsh_entries(kProgramFlags) + " \\\n                ':verb:_lockstep_verbs'\n";
  script += "        return\n    fi\n    shift words\n    ((CURRENT--))\n    case $words[1] in\n";
  for (const Verb* verb : verbs) script += zsh_verb_case(*verb);
  return script + "    esac\n}\n\n_lockstep \"$@\"\n";
}

namespace {

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + '\'';
}

std::string fish_offer(ValueKind kind, VerbTable verbs) {
  switch (kind) {
    case ValueKind::kFile:
      return " -F";
    case ValueKind::kFolder:
      return " -a '(__fish_complete_directories)'";
    case ValueKind::kVerb: {
      std::string words;
      for (const Verb* verb : verbs) words += fmt::format("{}{}", words.empty() ? "" : " ", verb->name);
      return fmt::format(" -a '{}'", words);
    }
    default:
      break;
  }
  const std::string_view question = question_for(kind);
  return question.empty() ? "" : fmt::format(" -a '({})'", question);
}

std::string fish_flag_line(std::string_view condition, const Flag& flag, VerbTable verbs) {
  std::string line = fmt::format("complete -c lockstep -n {}", fish_quoted(condition));
  if (flag.short_name != '\0') line += fmt::format(" -s {}", flag.short_name);
  line += fmt::format(" -l {}", flag.name);
  if (!flag.is_switch()) {
    line += " -r";
    line += flag.choices.empty() ? fish_offer(flag.kind, verbs)
                                 : fmt::format(" -a '{}'", fmt::join(flag.choices, " "));
  }
  return line + fmt::format(" -d {}\n", fish_quoted(flag.help));
}

}  // namespace

std::string fish_completion(VerbTable verbs) {
  std::string script =
      "# fish completion for lockstep, made from its table of verbs.\n\ncomplete -c lockstep -f\n";
  for (const Flag& flag : kProgramFlags) script += fish_flag_line("__fish_use_subcommand", flag, verbs);
  for (const Verb* verb : verbs) {
    script += fmt::format("complete -c lockstep -n __fish_use_subcommand -a {} -d {}\n", verb->name,
                          fish_quoted(verb->one_line));
  }
  for (const Verb* verb : verbs) {
    const std::string condition = fmt::format("__fish_seen_subcommand_from {}", verb->name);
    for (const Flag& flag : flags_of(*verb)) script += fish_flag_line(condition, flag, verbs);
    const std::string operands =
        verb->command == TakesCommand::kNo ? fish_offer(verb->operands.kind, verbs) : " -F";
    if (!operands.empty())
      script += fmt::format("complete -c lockstep -n {}{}\n", fish_quoted(condition), operands);
  }
  return script;
}

}  // namespace lockstep::cli
