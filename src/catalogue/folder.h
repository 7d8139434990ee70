// A folder of catalogue files as one value: {"recipes": {...}, "facts": {...},
// "remedies": {...}, "symptoms": {code: {...}}}.
#pragma once

#include <filesystem>

#include "base/json.h"
#include "base/result.h"

namespace lockstep::catalogue {

// Reads recipes.yaml, facts.yaml, remedies.yaml and every other *.yaml below the folder, each one symptom.
Result<base::Json> read_catalogue_folder(const std::filesystem::path& folder);

// `added` on top of `below`: members of the same name are replaced.
base::Json overlay(base::Json below, const base::Json& added);

}  // namespace lockstep::catalogue
