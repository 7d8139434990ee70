// Build step: checks the folder of rules and writes it in the form that the binary embeds.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"
#include "base/json_schema.h"
#include "check/rules/catalogue.h"
#include "model/finding_code.h"

namespace {

namespace fs = std::filesystem;
using lockstep::Error;
using lockstep::Result;

// A rule says the same as the symptom that the job would show: same code, same leaf.
std::vector<std::string> code_faults(const std::vector<lockstep::rules::Rule>& rules,
                                     const fs::path& symptoms) {
  std::vector<std::string> faults;
  for (const lockstep::rules::Rule& rule : rules) {
    if (lockstep::model::family_of(rule.code) == lockstep::model::CodeFamily::kCheck) continue;
    std::string folder(lockstep::model::entry_of(rule.leaf).id);
    std::ranges::transform(folder, folder.begin(), [](unsigned char letter) { return std::tolower(letter); });
    if (!fs::exists(symptoms / folder / (rule.code + ".yaml")))
      faults.push_back(fmt::format("{}: no symptom of {} has the code {}", rule.id, folder, rule.code));
  }
  return faults;
}

Result<std::vector<std::string>> schema_faults(const fs::path& folder, const fs::path& schema_file) {
  constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
  const std::string text = TRY(lockstep::base::read_file(schema_file, kMaxFileBytes));
  const auto schema = TRY(lockstep::base::JsonSchema::parse(text, schema_file.string()));
  std::vector<std::string> all;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string rule = TRY(lockstep::base::read_file(entry.path(), kMaxFileBytes));
    const auto faults = lockstep::base::yaml_faults(schema, rule, entry.path().string());
    all.insert(all.end(), faults.begin(), faults.end());
  }
  return all;
}

Result<void> pack(const fs::path& folder, const fs::path& symptoms, const fs::path& schema,
                  const fs::path& out) {
  const auto entries = TRY(lockstep::rules::read_rule_folder(folder));
  std::vector<std::string> faults = TRY(schema_faults(folder, schema));
  if (faults.empty()) faults = lockstep::rules::sample_faults(entries);
  if (faults.empty()) faults = code_faults(TRY(lockstep::rules::decode_rules(entries)), symptoms);
  if (!faults.empty())
    return Error{"the rules are not sound", folder.string(), fmt::format("{}", fmt::join(faults, "\n  ")),
                 ""};
  return lockstep::base::write_file(out, lockstep::rules::pack_rules(entries));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: pack_rules RULES_FOLDER SYMPTOMS_FOLDER SCHEMA OUT_FILE\n");
    return 2;
  }
  const Result<void> done = pack(argv[1], argv[2], argv[3], argv[4]);
  if (done.ok()) return 0;
  fmt::print(stderr, "{}: {}: {}\n", done.error().what, done.error().where, done.error().why);
  return 1;
}
