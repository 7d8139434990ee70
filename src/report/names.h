// The stable words of the findings format for scope and evidence level, and their inverses.
#pragma once

#include <optional>
#include <string_view>

#include "model/finding.h"

namespace lockstep::report {

std::string_view id_of(model::Scope scope);          // "distributed"
std::string_view id_of(model::EvidenceLevel level);  // "seen"
std::optional<model::Scope> scope_with_id(std::string_view id);
std::optional<model::EvidenceLevel> evidence_level_with_id(std::string_view id);

}  // namespace lockstep::report
