#include <fmt/format.h>

#include "cli/completion.h"
#include "cli/program_text.h"

namespace lockstep::cli {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + '\'';
}

std::string offer(ValueKind kind, VerbTable verbs) {
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
    case ValueKind::kText:
      break;
  }
  return "";
}

std::string flag_line(std::string_view condition, const Flag& flag, VerbTable verbs) {
  std::string line = fmt::format("complete -c lockstep -n {}", quoted(condition));
  if (flag.short_name != '\0') line += fmt::format(" -s {}", flag.short_name);
  line += fmt::format(" -l {}", flag.name);
  if (!flag.is_switch()) {
    line += " -r";
    line += flag.choices.empty() ? offer(flag.kind, verbs)
                                 : fmt::format(" -a '{}'", fmt::join(flag.choices, " "));
  }
  return line + fmt::format(" -d {}\n", quoted(flag.help));
}

}  // namespace

std::string fish_completion(VerbTable verbs) {
  std::string script =
      "# fish completion for lockstep, made from its table of verbs.\n\ncomplete -c lockstep -f\n";
  for (const Flag& flag : kProgramFlags) script += flag_line("__fish_use_subcommand", flag, verbs);
  for (const Verb* verb : verbs) {
    script += fmt::format("complete -c lockstep -n __fish_use_subcommand -a {} -d {}\n", verb->name,
                          quoted(verb->one_line));
  }
  for (const Verb* verb : verbs) {
    const std::string condition = fmt::format("__fish_seen_subcommand_from {}", verb->name);
    for (const Flag& flag : flags_of(*verb)) script += flag_line(condition, flag, verbs);
    const std::string operands =
        verb->command == TakesCommand::kNo ? offer(verb->operands.kind, verbs) : " -F";
    if (!operands.empty())
      script += fmt::format("complete -c lockstep -n {}{}\n", quoted(condition), operands);
  }
  return script;
}

}  // namespace lockstep::cli
