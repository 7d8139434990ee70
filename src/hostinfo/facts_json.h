// One host's facts as a JSON document, schema lockstep-facts-v1: docs/formats/facts.md.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "hostinfo/host_facts.h"

namespace lockstep::hostinfo {

inline constexpr std::string_view kFactsSchema = "lockstep-facts-v1";

std::string encode_facts(const HostFacts& facts);

// An error when it is not a facts document at all. A member of the wrong kind is left empty and named in
// `unseen`; members that are not known are passed over.
Result<HostFacts> decode_facts(std::string_view text, std::string_view where);
Result<HostFacts> facts_in_document(const base::Json& document, std::string_view where);

}  // namespace lockstep::hostinfo
