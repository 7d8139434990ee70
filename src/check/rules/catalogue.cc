#include "check/rules/catalogue.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "base/yaml.h"

namespace lockstep::rules {
namespace {

namespace fs = std::filesystem;
using base::Json;

// Bytes of a file; a rule is a page of text.
constexpr std::size_t kMaxEntryBytes = std::size_t{1} << 20;

}  // namespace

Result<Json> read_rule_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code fault;
  for (fs::recursive_directory_iterator entry(folder, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    if (entry->path().extension() == ".yaml") files.push_back(entry->path());
  }
  if (fault) return Error{"cannot read rules", folder.string(), fault.message(), ""};
  std::ranges::sort(files);
  std::map<std::pair<fs::path, std::string>, Json> by_folder_and_id;
  std::map<std::string, fs::path> file_of_id;
  for (const fs::path& file : files) {
    const std::string text = TRY(base::read_file(file, kMaxEntryBytes));
    Json entry = TRY(base::parse_yaml(text, file.string()));
    const std::string id = base::text_at(entry, "id");
    const auto [other, is_new] = file_of_id.emplace(id, file);
    if (!is_new)
      return Error{"cannot use rule", file.string(),
                   fmt::format("its id '{}' is that of {}", id, other->second.string()), ""};
    by_folder_and_id.emplace(std::pair(file.parent_path(), id), std::move(entry));
  }
  Json entries = Json::array();
  for (auto& [place, entry] : by_folder_and_id) entries.push_back(std::move(entry));
  return entries;
}

Result<std::vector<Rule>> decode_rules(const Json& entries) {
  std::vector<Rule> rules;
  std::set<std::string> ids;
  for (const Json& entry : entries) {
    Rule rule = TRY(decode_rule(entry, base::text_at(entry, "id")));
    if (!ids.insert(rule.id).second) return Error{"cannot use rule", rule.id, "its id is there twice", ""};
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::string pack_rules(const Json& entries) {
  Json packed = Json::array();
  for (Json entry : entries) {
    entry.erase("fails");
    entry.erase("passes");
    packed.push_back(std::move(entry));
  }
  return base::to_text(packed, base::JsonLayout::kOneLine);
}

}  // namespace lockstep::rules
