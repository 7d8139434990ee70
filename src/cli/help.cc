#include "cli/help.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cli/program.h"

namespace lockstep::cli {

namespace {

constexpr std::size_t kRowIndent = 2;
constexpr std::size_t kGap = 2;
constexpr std::size_t kWidestAlignedLabel = 26;  // a wider one stands on a line of its own

}  // namespace

std::string two_columns(std::span<const Row> rows) {
  std::size_t widest = 0;
  for (const Row& row : rows) {
    if (row.label.size() <= kWidestAlignedLabel) widest = std::max(widest, row.label.size());
  }
  const std::size_t text_column = kRowIndent + widest + kGap;

  std::string lines;
  for (const Row& row : rows) {
    const std::string text = paragraph(row.text, text_column);
    const std::string label = fmt::format("{:{}}{}", "", kRowIndent, row.label);
    if (row.label.size() > kWidestAlignedLabel) {
      lines += fmt::format("{}\n{}", label, text);
    } else {
      lines += fmt::format("{:{}}{}", label, text_column, std::string_view(text).substr(text_column));
    }
  }
  return lines;
}

namespace {

std::string label_of(const Flag& flag) {
  const std::string short_form = flag.short_name == '\0' ? "    " : fmt::format("-{}, ", flag.short_name);
  const std::string value = flag.is_switch() ? "" : fmt::format("={}", flag.value_name);
  return fmt::format("{}--{}{}", short_form, flag.name, value);
}

std::string flag_section(std::span<const Flag> flags) {
  std::vector<Row> rows;
  for (const Flag& flag : flags) rows.push_back({label_of(flag), meaning_of(flag)});
  return "\nFlags:\n" + two_columns(rows);
}

std::string argument_section(const Verb& verb) {
  std::vector<Row> rows;
  if (verb.operands.max > 0)
    rows.push_back({std::string(verb.operands.name), std::string(verb.operands.help)});
  if (verb.command != TakesCommand::kNo) rows.push_back({"CMD...", std::string(kCommandHelp)});
  return rows.empty() ? "" : "\nArguments:\n" + two_columns(rows);
}

std::string example_section(std::span<const Example> examples) {
  std::string lines = examples.empty() ? "" : "\nExamples:\n";
  for (const Example& example : examples) {
    lines += fmt::format("  {}\n{}", example.command, paragraph(example.meaning, 6));
  }
  return lines;
}

std::string exit_section() {
  std::vector<Row> rows;
  for (const auto& [status, meaning] : kExitMeanings) {
    rows.push_back({fmt::to_string(static_cast<int>(status)), std::string(meaning)});
  }
  return "\nExit status:\n" + two_columns(rows);
}

}  // namespace

namespace {

constexpr std::pair<VerbGroup, std::string_view> kGroups[] = {{VerbGroup::kStart, "Start here"},
                                                              {VerbGroup::kWatch, "Watch"},
                                                              {VerbGroup::kDeeper, "Go deeper"},
                                                              {VerbGroup::kService, "Run jobs for me"},
                                                              {VerbGroup::kReference, "Reference"}};

// The texts of all groups begin in one column.
std::string verb_sections(VerbTable verbs) {
  std::size_t widest = 0;
  for (const Verb* verb : verbs) widest = std::max(widest, verb->name.size());
  std::string sections;
  for (const auto& [group, title] : kGroups) {
    std::vector<Row> rows;
    for (const Verb* verb : verbs) {
      if (verb->group == group)
        rows.push_back({fmt::format("{:<{}}", verb->name, widest), std::string(verb->one_line)});
    }
    if (!rows.empty()) sections += fmt::format("\n{}:\n{}", title, two_columns(rows));
  }
  return sections;
}

}  // namespace

std::string program_help(VerbTable verbs) {
  return fmt::format("lockstep - {}\n\nUsage: lockstep VERB [ARGUMENT...]\n", kProgramOneLine) +
         verb_sections(verbs) + flag_section(kProgramFlags) + exit_section() +
         "\nlockstep VERB --help says more about a verb.\n";
}

std::string verb_help(const Verb& verb) {
  std::string text =
      fmt::format("lockstep {} - {}\n\nUsage: lockstep {}\n", verb.name, verb.one_line, verb.usage);
  for (const std::string_view part : verb.description) text += '\n' + paragraph(part, 0);
  return text + argument_section(verb) + flag_section(flags_of(verb)) + example_section(verb.examples);
}

}  // namespace lockstep::cli
