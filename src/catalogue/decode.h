// From the values of a catalogue file to its entries. Errors name the file and the member.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "catalogue/symptom.h"

namespace lockstep::catalogue {

using Recipes = std::map<std::string, model::Fix, std::less<>>;  // fixes that several symptoms share, by name

Result<Symptom> decode_symptom(const base::Json& json, const Recipes& recipes, std::string_view where);
Result<std::vector<Fact>> decode_facts(const base::Json& json, std::string_view where);
Result<Recipes> decode_recipes(const base::Json& json, std::string_view where);
// A list of fixes, each a recipe's name or a mapping.
Result<std::vector<model::Fix>> decode_fixes(const base::Json& json, const Recipes& recipes,
                                             std::string_view where);

using FamilyRemedies =
    std::map<std::string, Remedy, std::less<>>;  // by what stands before the first dot of a code
Result<FamilyRemedies> decode_remedies(const base::Json& json, std::string_view where);

}  // namespace lockstep::catalogue
