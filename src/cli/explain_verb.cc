#include <algorithm>

#include <fmt/format.h>

#include "base/closest.h"
#include "catalogue/catalogue.h"
#include "catalogue/symptom.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "diagnose/arbitrate/known_fixes.h"
#include "model/finding_code.h"

namespace lockstep::cli {
namespace {

using catalogue::Catalogue;
using catalogue::Symptom;

std::string bullet(std::string_view text) {
  return paragraph(fmt::format("- {}", text), 2);
}

std::string fix_in_words(std::size_t number, const model::Fix& fix) {
  std::string text = paragraph(fmt::format("{}. {} ({})", number, fix.title, model::id_of(fix.pattern)), 2);
  for (const std::string& step : fix.steps) text += paragraph(step, 5);
  for (const std::string& command : fix.commands) text += fmt::format("       {}\n", command);
  return text;
}

std::string symptom_in_words(const Symptom& symptom) {
  const model::LeafEntry& leaf = model::entry_of(symptom.leaf);
  std::string text =
      fmt::format("{}\n  {}\n  {}: {}; {}\n\n", symptom.code, catalogue::worded_in_general(symptom.title),
                  leaf.id, leaf.name, catalogue::word_for(symptom.scope));
  text += paragraph(catalogue::worded_in_general(symptom.meaning), 2);
  if (!symptom.causes.empty()) text += "\nUsual causes:\n";
  for (const std::string& cause : symptom.causes) text += bullet(cause);
  const std::vector<model::Fix> fixes = diagnose::fixes_of(symptom);
  if (!fixes.empty()) text += "\nFixes, in the order in which to try them:\n";
  for (std::size_t i = 0; i < fixes.size(); ++i) text += fix_in_words(i + 1, fixes[i]);
  if (!symptom.matches.empty()) text += "\nLines that show it:\n";
  for (const std::string& sample : symptom.matches) text += fmt::format("  {}\n", sample);
  if (!symptom.references.empty()) text += "\nReferences:\n";
  for (const std::string& reference : symptom.references) text += bullet(reference);
  return text;
}

std::string leaf_in_words(const Catalogue& catalogue, const model::LeafEntry& leaf) {
  std::string text;
  std::vector<Row> codes;
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    const Symptom& symptom = catalogue.symptom(i);
    if (symptom.leaf != leaf.leaf) continue;
    if (model::family_of(symptom.code) == model::CodeFamily::kLeaf) {
      text = symptom_in_words(symptom);
    } else {
      codes.push_back({symptom.code, catalogue::worded_in_general(symptom.title)});
    }
  }
  return text + "\nCodes below it:\n" + two_columns(codes);
}

Error unknown_name(const Catalogue& catalogue, const std::string& name) {
  std::vector<std::string_view> known;
  for (const model::LeafEntry& leaf : model::all_leaves()) known.push_back(leaf.id);
  for (std::size_t i = 0; i < catalogue.size(); ++i) known.push_back(catalogue.symptom(i).code);
  const auto near = base::closest(name, known);
  return {fmt::format("no leaf or code is called '{}'", name), "", "",
          near ? fmt::format("did you mean '{}'?", *near) : "'lockstep explain' lists the leaves"};
}

std::string all_leaves_in_words() {
  std::vector<Row> rows;
  for (const model::LeafEntry& leaf : model::all_leaves())
    rows.push_back({std::string(leaf.id), fmt::format("{} ({})", leaf.name, leaf.study_code)});
  return two_columns(rows);
}

Result<void> write_codes(const Catalogue& catalogue, Terminal& terminal) {
  for (std::size_t i = 0; i < catalogue.size(); ++i) TRY(terminal.write(catalogue.symptom(i).code + "\n"));
  return {};
}

Result<ExitStatus> run_explain(const Args& args, Terminal& terminal) {
  std::vector<std::filesystem::path> folders;
  for (const std::string& folder : args.values("catalogue")) folders.emplace_back(folder);
  const Catalogue catalogue = TRY(Catalogue::load(folders));
  if (args.has("codes")) TRY(write_codes(catalogue, terminal));
  if (args.operands.empty() && !args.has("codes")) TRY(terminal.write(all_leaves_in_words()));
  for (const std::string& name : args.operands) {
    std::string upper = name;
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
    if (const auto leaf = model::leaf_with_id(upper)) {
      TRY(terminal.write(leaf_in_words(catalogue, model::entry_of(*leaf))));
    } else if (const Symptom* symptom = catalogue.find(name)) {
      TRY(terminal.write(symptom_in_words(*symptom)));
    } else {
      return unknown_name(catalogue, name);
    }
  }
  return ExitStatus::kNothingFound;
}

constexpr std::string_view kExplainDescription[] = {
    "Prints what the catalogue knows about a kind of fault: what it means, its usual causes, the fixes in "
    "the "
    "order in which to try them, and lines that show it. A leaf, such as PERF-HANG, also lists the codes "
    "below it. Without a name the leaves are listed.",
};

constexpr Example kExplainExamples[] = {
    {"lockstep explain PERF-HANG", "A leaf and its codes"},
    {"lockstep explain setup.duplicate_gpu", "One code"},
};

constexpr Flag kExplainFlags[] = {
    {.name = "codes", .help = "List the codes, one a line"},
    {.name = "catalogue",
     .value_name = "DIR",
     .help = "A folder of entries to add to the built-in ones",
     .repeatable = true,
     .kind = ValueKind::kFolder},
};

}  // namespace

constinit const Verb kExplainVerb{
    .name = "explain",
    .one_line = "say what a leaf or code means and what to do",
    .usage = "explain [LEAF|CODE...] [flags]",
    .description = kExplainDescription,
    .examples = kExplainExamples,
    .operands = {.name = "LEAF|CODE",
                 .min = 0,
                 .max = Operands::kAnyNumber,
                 .help = "A leaf (PERF-HANG) or a code (mem.gpu), as findings name it",
                 .kind = ValueKind::kCode},
    .flags = kExplainFlags,
    .run = run_explain,
};

}  // namespace lockstep::cli
