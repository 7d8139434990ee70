// The findings file, version 1 ("lockstep-findings-v1"): what programs read and other tools may write.
// docs/formats/findings-json.md describes it, catalogue/schema/lockstep-findings-v1.json is its schema.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/finding.h"

namespace lockstep::report {

inline constexpr std::string_view kFindingsSchema = "lockstep-findings-v1";

// Indented JSON, always valid and always decodable. Bytes that are not UTF-8 become U+FFFD.
std::string encode_findings(const model::Verdict& verdict);

// The same as a value, for documents that hold findings as a part of theirs.
base::Json findings_as_json(const model::Verdict& verdict);

// The text is untrusted. Errors name the member ("findings[2].leaf"); members of later additions are ignored,
// optional ones may be absent, ranks may come in any order. decode_findings(encode_findings(v)) equals v.
// `where` names the source in the error.
Result<model::Verdict> decode_findings(std::string_view text, std::string_view where);
Result<model::Verdict> findings_from_json(const base::Json& json, std::string_view where);

// What was found while a job ran, kept in its recording for whoever judges the recording later.
Result<void> keep_live_findings(const std::filesystem::path& recording, std::vector<model::Finding> findings);

// Of all recordings among the paths; damaged or missing ones have none.
std::vector<model::Finding> live_findings_in(const std::vector<std::filesystem::path>& paths);

// JSON as reporters write it: indented, valid UTF-8, and safe to look at. A character that would move the
// cursor or reverse the reading order of a terminal is written as \uXXXX, which means the same to a program.
// Ends with a newline.
std::string to_printable_text(const base::Json& json);

// The stable words of the findings format for scope, evidence level and outcome, and their inverses.
std::string_view id_of(model::Scope scope);          // "distributed"
std::string_view id_of(model::EvidenceLevel level);  // "seen"
std::string_view id_of(model::Outcome outcome);      // "ordered_before"
std::optional<model::Scope> scope_with_id(std::string_view id);
std::optional<model::EvidenceLevel> evidence_level_with_id(std::string_view id);
std::optional<model::Outcome> outcome_with_id(std::string_view id);
std::vector<std::string_view> outcome_ids();

}  // namespace lockstep::report
