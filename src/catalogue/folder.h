// A folder of catalogue files as one value: {"recipes": {...}, "facts": {...},
// "remedies": {...}, "symptoms": {code: {...}}}.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lockstep::catalogue {

struct CatalogueFile {
  std::filesystem::path path;
  std::string text;
};
// Every *.yaml below the folder, in the order of their paths; at least one.
Result<std::vector<CatalogueFile>> read_files(const std::filesystem::path& folder);

// Reads recipes.yaml, facts.yaml, remedies.yaml and every other *.yaml below the folder, each one symptom.
Result<base::Json> read_catalogue_folder(const std::filesystem::path& folder);

// `added` on top of `below`: members of the same name are replaced.
base::Json overlay(base::Json below, const base::Json& added);

}  // namespace lockstep::catalogue
