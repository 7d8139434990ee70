// The findings file, version 1 ("lockstep-findings-v1"): what programs read and other tools may write.
// docs/formats/findings-json.md describes it, catalogue/schema/lockstep-findings-v1.json is its schema.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/finding.h"

namespace lockstep::report {

inline constexpr std::string_view kFindingsSchema = "lockstep-findings-v1";

// Indented JSON, always valid and always decodable. Bytes that are not UTF-8 become U+FFFD.
std::string encode_findings(const model::Verdict& verdict);

// The text is untrusted. Errors name the member ("findings[2].leaf"); members of later additions are ignored,
// optional ones may be absent, ranks may come in any order. decode_findings(encode_findings(v)) equals v.
// `where` names the source in the error.
Result<model::Verdict> decode_findings(std::string_view text, std::string_view where);

}  // namespace lockstep::report
