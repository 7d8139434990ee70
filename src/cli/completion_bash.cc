#include <fmt/format.h>

#include "cli/completion.h"
#include "cli/program_text.h"

namespace lockstep::cli {
namespace {

// Names hold no spaces and no shell characters; the words offered need no quoting of their own.
constexpr std::string_view kStart = R"(# bash completion for lockstep, made from its table of verbs.

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

std::string flag_words(std::span<const Flag> flags) {
  std::string words;
  for (const Flag& flag : flags) words += fmt::format("{}--{}", words.empty() ? "" : " ", flag.name);
  return words;
}

std::string verb_words(VerbTable verbs) {
  std::string words;
  for (const Verb* verb : verbs) words += fmt::format("{}{}", words.empty() ? "" : " ", verb->name);
  return words;
}

std::string offer(ValueKind kind, VerbTable verbs) {
  switch (kind) {
    case ValueKind::kFile:
      return "_lockstep_paths -f";
    case ValueKind::kFolder:
      return "_lockstep_paths -d";
    case ValueKind::kVerb:
      return fmt::format("_lockstep_words '{}'", verb_words(verbs));
    case ValueKind::kText:
      break;
  }
  return ":";
}

std::string value_cases(const Verb& verb, VerbTable verbs) {
  std::string cases;
  for (const Flag& flag : flags_of(verb)) {
    if (flag.is_switch()) continue;
    const std::string action = flag.choices.empty()
                                   ? offer(flag.kind, verbs)
                                   : fmt::format("_lockstep_words '{}'", fmt::join(flag.choices, " "));
    cases += fmt::format("        {}:--{}", verb.name, flag.name);
    if (flag.short_name != '\0') cases += fmt::format(" | {}:-{}", verb.name, flag.short_name);
    cases += fmt::format(") {}; return ;;\n", action);
  }
  return cases;
}

std::string command_loop(VerbTable verbs) {
  std::string takers;
  for (const Verb* verb : verbs) {
    if (verb->command == TakesCommand::kNo) continue;
    takers += fmt::format("{}{}", takers.empty() ? "" : " | ", verb->name);
  }
  if (takers.empty()) return "";
  return "    case ${COMP_WORDS[1]} in\n        " + takers + R"()
            for ((i = 2; i < COMP_CWORD; i++)); do
                [[ ${COMP_WORDS[i]} == -- ]] && { _lockstep_paths -cf; return; }
            done
            ;;
    esac
)";
}

}  // namespace

std::string bash_completion(VerbTable verbs) {
  std::string script(kStart);
  script += fmt::format("        _lockstep_words '{} {}'\n        return\n    fi\n", verb_words(verbs),
                        flag_words(kProgramFlags));
  script += command_loop(verbs);
  script += "    case ${COMP_WORDS[1]}:$before in\n";
  for (const Verb* verb : verbs) script += value_cases(*verb, verbs);
  script += "    esac\n    case ${COMP_WORDS[1]}:$word in\n";
  for (const Verb* verb : verbs) {
    script +=
        fmt::format("        {}:-*) _lockstep_words '{}' ;;\n", verb->name, flag_words(flags_of(*verb)));
    script += fmt::format("        {}:*) {} ;;\n", verb->name, offer(verb->operands.kind, verbs));
  }
  return script + "    esac\n}\n\ncomplete -F _lockstep lockstep\n";
}

}  // namespace lockstep::cli
