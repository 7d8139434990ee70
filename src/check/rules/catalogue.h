// The rules: those embedded in the binary, or a folder of one's own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "check/rules/rule.h"

namespace lockstep::rules {

// Every *.yaml below the folder, each one rule with its samples, by folder and id. Two rules of one id are
// refused.
Result<base::Json> read_rule_folder(const std::filesystem::path& folder);
Result<std::vector<Rule>> decode_rules(const base::Json& entries);

// The embedded ones.
const std::vector<Rule>& built_in_rules();

// Everything wrong with the samples: one sentence each, naming rule and sample. A `fails` sample must be
// found by its rule, a `passes` sample must not; a rule has at least one of each.
std::vector<std::string> sample_faults(const base::Json& entries);

// The entries without what only the check of samples needs, on one line.
std::string pack_rules(const base::Json& entries);

}  // namespace lockstep::rules
