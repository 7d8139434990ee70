#include "catalogue/schema_faults.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/embed.h"
#include "base/json_schema.h"
#include "catalogue/folder.h"

LOCKSTEP_EMBED(symptom_schema, LOCKSTEP_SCHEMAS "/lockstep-symptom-v1.json")
LOCKSTEP_EMBED(facts_schema, LOCKSTEP_SCHEMAS "/lockstep-facts-v1.json")
LOCKSTEP_EMBED(recipes_schema, LOCKSTEP_SCHEMAS "/lockstep-recipes-v1.json")
LOCKSTEP_EMBED(remedies_schema, LOCKSTEP_SCHEMAS "/lockstep-remedies-v1.json")

namespace lockstep::catalogue {
namespace {

base::JsonSchema parsed(const char* begin, const char* end) {
  auto schema = base::JsonSchema::parse({begin, end}, "built-in schema");
  CHECK(schema.ok(), "the built-in schemas are sound");
  return std::move(schema).value();
}

const base::JsonSchema& schema_for(const std::string& file_name) {
  static const base::JsonSchema kFacts = parsed(lockstep_facts_schema_begin, lockstep_facts_schema_end);
  static const base::JsonSchema kRecipes = parsed(lockstep_recipes_schema_begin, lockstep_recipes_schema_end);
  static const base::JsonSchema kRemedies =
      parsed(lockstep_remedies_schema_begin, lockstep_remedies_schema_end);
  static const base::JsonSchema kSymptom = parsed(lockstep_symptom_schema_begin, lockstep_symptom_schema_end);
  if (file_name == "facts.yaml") return kFacts;
  if (file_name == "recipes.yaml") return kRecipes;
  return file_name == "remedies.yaml" ? kRemedies : kSymptom;
}

}  // namespace

Result<std::vector<std::string>> schema_faults(const std::filesystem::path& folder) {
  std::vector<std::string> all;
  const std::vector<CatalogueFile> files = TRY(read_files(folder));
  for (const CatalogueFile& file : files) {
    std::vector<std::string> faults =
        base::yaml_faults(schema_for(file.path.filename()), file.text, file.path.string());
    std::ranges::move(faults, std::back_inserter(all));
  }
  return all;
}

}  // namespace lockstep::catalogue
