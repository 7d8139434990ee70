#include <fmt/format.h>

#include "catalogue/catalogue.h"
#include "catalogue/schema_faults.h"
#include "catalogue/symptom.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace lockstep::cli {
namespace {

using catalogue::Catalogue;

// What the schemas refuse in the user's own files; the build has checked the others.
Result<std::vector<std::string>> schema_faults(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> all;
  for (const std::filesystem::path& folder : folders) {
    const std::vector<std::string> faults = TRY(catalogue::schema_faults(folder));
    all.insert(all.end(), faults.begin(), faults.end());
  }
  return all;
}

Result<ExitStatus> check(const Catalogue& catalogue, const std::vector<std::filesystem::path>& folders,
                         Terminal& terminal) {
  std::vector<std::string> faults = TRY(schema_faults(folders));
  const std::vector<std::string> of_samples = catalogue::sample_faults(catalogue);
  faults.insert(faults.end(), of_samples.begin(), of_samples.end());
  for (const std::string& fault : faults) TRY(terminal.write(fault + "\n"));
  if (!faults.empty()) return ExitStatus::kFindings;
  TRY(terminal.write(fmt::format("{} codes and {} facts: every sample is as it should be\n", catalogue.size(),
                                 catalogue.facts().size())));
  return ExitStatus::kNothingFound;
}

Result<ExitStatus> list(const Catalogue& catalogue, Terminal& terminal) {
  for (std::size_t i = 0; i < catalogue.size(); ++i) {
    const catalogue::Symptom& symptom = catalogue.symptom(i);
    TRY(terminal.write(fmt::format("{}\t{}\t{}\n", model::entry_of(symptom.leaf).id, symptom.code,
                                   catalogue::worded_in_general(symptom.title))));
  }
  return ExitStatus::kNothingFound;
}

Result<ExitStatus> run_catalogue(const Args& args, Terminal& terminal) {
  const std::string& task = args.operands.front();
  if (task != "check" && task != "list") {
    return Error{fmt::format("'catalogue' cannot do '{}'", task), "", "", "say check or list"};
  }
  const std::vector<std::filesystem::path> folders(args.operands.begin() + 1, args.operands.end());
  const Catalogue catalogue = TRY(Catalogue::load(folders));
  return task == "check" ? check(catalogue, folders, terminal) : list(catalogue, terminal);
}

constexpr std::string_view kCatalogueDescription[] = {
    "Checks the entries of the symptom catalogue, or lists them. A folder holds entries of your own, one "
    "YAML "
    "file each; they are added to the built-in ones and replace those of the same code.",
    "check tries every pattern on the samples of its entry and says which samples are not as the entry "
    "claims: "
    "exit status 1 if there are any, 2 if a file cannot be used at all.",
};

constexpr Example kCatalogueExamples[] = {
    {"lockstep catalogue check my-symptoms", "Check entries before using them"},
    {"lockstep catalogue list | grep SETUP-HANG", "Every code of a leaf"},
};

}  // namespace

constinit const Verb kCatalogueVerb{
    .name = "catalogue",
    .one_line = "check or list the entries of the symptom catalogue",
    .usage = "catalogue check|list [DIR...] [flags]",
    .description = kCatalogueDescription,
    .examples = kCatalogueExamples,
    .operands = {.name = "check|list [DIR...]",
                 .min = 1,
                 .max = Operands::kAnyNumber,
                 .help = "What to do, then folders of entries of your own",
                 .kind = ValueKind::kFolder},
    .run = run_catalogue,
};

}  // namespace lockstep::cli
