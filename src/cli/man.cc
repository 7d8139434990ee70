#include <cctype>
#include <set>

#include <fmt/format.h>

#include "cli/docs.h"
#include "cli/program.h"

namespace lockstep::cli {
namespace {

// A line in which nothing is read as a macro or an escape.
std::string literal_line(std::string_view text) {
  std::string line = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) line += c == '\\' ? "\\e" : std::string(1, c);
  return line + '\n';
}

// Running text, each sentence on a line of its own: that is how roff knows where the wide spaces go.
std::string sentences(std::string_view text) {
  std::string lines;
  for (std::size_t end; (end = text.find(". ")) != std::string_view::npos; text.remove_prefix(end + 2)) {
    lines += literal_line(text.substr(0, end + 1));
  }
  return lines + literal_line(text);
}

std::string upper_case(std::string_view text) {
  std::string upper;
  for (const char c : text) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

std::string opening(std::string_view page, std::string_view one_line, std::string_view date) {
  return fmt::format(
      ".Dd {}\n.Dt {} 1\n.Os lockstep {}\n.Sh NAME\n.Nm {}\n.Nd {}\n.Sh SYNOPSIS\n.Nm lockstep\n", date,
      upper_case(page), version(), page, one_line);
}

std::string tag_list(const std::string& items) {
  return items.empty() ? "" : ".Bl -tag -width Ds\n" + items + ".El\n";
}

std::string paragraphs(std::span<const std::string_view> parts) {
  std::string lines;
  for (const std::string_view part : parts) lines += (lines.empty() ? "" : ".Pp\n") + sentences(part);
  return lines;
}

std::string flag_item(const Flag& flag) {
  std::string item = ".It ";
  if (flag.short_name != '\0') {
    item += fmt::format("Fl {}", flag.short_name);
    item += flag.is_switch() ? " , " : fmt::format(" Ar {} , ", flag.value_name);
  }
  item += fmt::format("Fl -{}", flag.name);
  if (!flag.is_switch()) item += fmt::format(" Ns = Ns Ar {}", flag.value_name);
  return item + '\n' + sentences(meaning_of(flag) + ".");
}

std::string flag_items(std::span<const Flag> flags) {
  std::string items;
  for (const Flag& flag : flags) items += flag_item(flag);
  return items;
}

std::string argument_items(const Verb& verb) {
  std::string items;
  if (verb.operands.max > 0) {
    items +=
        fmt::format(".It Ar {}\n", verb.operands.name) + sentences(fmt::format("{}.", verb.operands.help));
  }
  if (verb.command != TakesCommand::kNo) {
    items += ".It Ar CMD ...\n" + sentences(fmt::format("{}.", kCommandHelp));
  }
  return items;
}

std::string color_environment(const Verb& verb) {
  if (!verb.globals.color) return "";
  return ".Sh ENVIRONMENT\n" +
         tag_list(
             ".It Ev NO_COLOR\nWhen set, the text has no colour unless\n.Fl -color Ns =always\nis given.\n");
}

std::string man_exit_section() {
  std::string items;
  for (const auto& [status, meaning] : kExitMeanings) {
    items += fmt::format(".It {}\n{}.\n", static_cast<int>(status), meaning);
  }
  return ".Sh EXIT STATUS\n" + tag_list(items);
}

std::string man_example_section(std::span<const Example> examples) {
  std::string lines = examples.empty() ? "" : ".Sh EXAMPLES\n";
  for (const Example& example : examples) {
    lines += sentences(fmt::format("{}:", example.meaning));
    lines += ".Bd -literal -offset indent\n" + literal_line(example.command) + ".Ed\n";
    if (&example != &examples.back()) lines += ".Pp\n";
  }
  return lines;
}

}  // namespace

std::string program_man_page(VerbTable verbs, std::string_view date) {
  std::string items;
  std::set<std::string> references;
  for (const Verb* verb : verbs) {
    items += fmt::format(".It Cm {}\n", verb->name) + sentences(fmt::format("{}.", verb->one_line));
    references.insert(fmt::format(".Xr lockstep-{} 1", verb->name));
  }
  return opening("lockstep", kProgramOneLine, date) +
         ".Ar VERB\n.Op Ar ARGUMENT ...\n.Sh DESCRIPTION\nThe verbs are:\n" + tag_list(items) +
         ".Pp\nThe flags before a verb are:\n" + tag_list(flag_items(kProgramFlags)) + man_exit_section() +
         fmt::format(".Sh SEE ALSO\n{}\n", fmt::join(references, " ,\n"));
}

std::string verb_man_page(const Verb& verb, std::string_view date) {
  std::string page = opening(fmt::format("lockstep-{}", verb.name), verb.one_line, date);
  page += literal_line(verb.usage) + ".Sh DESCRIPTION\n";
  page += paragraphs(verb.description);
  page += tag_list(argument_items(verb) + flag_items(flags_of(verb)));
  return page + color_environment(verb) + man_exit_section() + man_example_section(verb.examples) +
         ".Sh SEE ALSO\n.Xr lockstep 1\n";
}

}  // namespace lockstep::cli
