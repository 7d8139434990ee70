// What the schemas of catalogue/schema refuse in files of symptoms, facts, recipes and remedies. The schemas
// are embedded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace lockstep::catalogue {

// Of every *.yaml below the folder: one sentence for each fault, with file, line and field.
Result<std::vector<std::string>> schema_faults(const std::filesystem::path& folder);

}  // namespace lockstep::catalogue
