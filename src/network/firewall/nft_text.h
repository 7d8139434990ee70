// nft's JSON in nft's own words, so that a person finds the rule in `nft list ruleset`.
#pragma once

#include <string>

#include "base/json.h"

namespace lockstep::network {

// Of a rule's list of statements, or of one statement.
std::string nft_text(const base::Json& json);

}  // namespace lockstep::network
