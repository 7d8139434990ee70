#include <fmt/format.h>

#include "cli/completion.h"
#include "cli/program_text.h"

namespace lockstep::cli {
namespace {

// Inside single quotes, in the text part of an _arguments or _describe entry.
std::string quoted(std::string_view text) {
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

std::string_view action_for(ValueKind kind) {
  switch (kind) {
    case ValueKind::kFile:
      return "_files";
    case ValueKind::kFolder:
      return "_files -/";
    case ValueKind::kVerb:
      return "_lockstep_verbs";
    case ValueKind::kText:
      break;
  }
  return "( )";
}

std::string flag_entry(const Flag& flag) {
  const std::string action = flag.choices.empty() ? std::string(action_for(flag.kind))
                                                  : fmt::format("({})", fmt::join(flag.choices, " "));
  const std::string value = flag.is_switch() ? "" : fmt::format(":{}:{}", flag.value_name, action);
  const std::string_view equals = flag.is_switch() ? "" : "=";
  const std::string tail = fmt::format("[{}]{}", quoted(flag.help), value);
  if (flag.short_name == '\0')
    return fmt::format("'{}--{}{}{}'", flag.repeatable ? "*" : "", flag.name, equals, tail);

  const std::string forms =
      fmt::format("{{-{}{},--{}{}}}", flag.short_name, flag.is_switch() ? "" : "+", flag.name, equals);
  const std::string once = fmt::format("(-{} --{})", flag.short_name, flag.name);
  return fmt::format("'{}'{}'{}'", flag.repeatable ? "*" : once, forms, tail);
}

std::string entries(std::span<const Flag> flags) {
  std::string lines;
  for (const Flag& flag : flags) lines += fmt::format(" \\\n                {}", flag_entry(flag));
  return lines;
}

std::string verb_case(const Verb& verb) {
  std::string lines =
      fmt::format("        {})\n            _arguments -s", verb.name) + entries(flags_of(verb));
  if (verb.operands.max > 0) {
    lines +=
        fmt::format(" \\\n                '*:{}:{}'", verb.operands.name, action_for(verb.operands.kind));
  }
  if (verb.command != TakesCommand::kNo) lines += " \\\n                '*:::command:_normal'";
  return lines + "\n            ;;\n";
}

}  // namespace

std::string zsh_completion(VerbTable verbs) {
  std::string script = "#compdef lockstep\n# zsh completion for lockstep, made from its table of verbs.\n\n";
  script += "_lockstep_verbs() {\n    local -a verbs=(\n";
  for (const Verb* verb : verbs)
    script += fmt::format("        '{}:{}'\n", verb->name, quoted(verb->one_line));
  script += "    )\n    _describe -t verbs verb verbs\n}\n\n_lockstep() {\n    if ((CURRENT == 2)); then\n";
  script +=
      "        _arguments -s" + entries(kProgramFlags) + " \\\n                ':verb:_lockstep_verbs'\n";
  script += "        return\n    fi\n    shift words\n    ((CURRENT--))\n    case $words[1] in\n";
  for (const Verb* verb : verbs) script += verb_case(*verb);
  return script + "    esac\n}\n\n_lockstep \"$@\"\n";
}

}  // namespace lockstep::cli
