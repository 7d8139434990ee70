#include "catalogue/folder.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/yaml.h"

namespace lockstep::catalogue {
namespace {

namespace fs = std::filesystem;
using base::Json;

constexpr std::size_t kMaxEntryBytes = std::size_t{1} << 20;

Result<std::vector<fs::path>> yaml_files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code fault;
  for (fs::recursive_directory_iterator entry(folder, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    if (entry->path().extension() == ".yaml") files.push_back(entry->path());
  }
  if (fault) return Error{"cannot read catalogue", folder.string(), fault.message(), ""};
  std::ranges::sort(files);
  return files;
}

// Only texts can be joined; what else stands there is left for the decoder to refuse.
void join_alternatives(Json& pattern, const char* member) {
  const auto found = pattern.find(member);
  if (found == pattern.end() || !found->is_array() || found->empty()) return;
  std::vector<std::string> alternatives;
  for (const Json& item : *found) {
    if (!item.is_string()) return;
    alternatives.push_back(item.get<std::string>());
  }
  *found = fmt::format("{}", fmt::join(alternatives, "|"));
}

// A long regular expression may be written as a list of alternatives.
void join_alternatives(Json& entry) {
  if (!entry.is_object() || !entry.contains("patterns") || !entry["patterns"].is_array()) return;
  for (Json& pattern : entry["patterns"]) {
    if (!pattern.is_object()) continue;
    join_alternatives(pattern, "regex");
    join_alternatives(pattern, "unless");
    if (pattern.size() == 1 && pattern.contains("regex") && pattern["regex"].is_string())
      pattern = Json(pattern["regex"]);
  }
}

Result<void> add_symptom(Json& symptoms, Json entry, const std::string& where) {
  const auto code = entry.is_object() ? entry.find("code") : entry.end();
  if (!entry.is_object() || code == entry.end() || !code->is_string())
    return Error{"cannot use catalogue entry", where, "has no code", ""};
  const auto name = code->get<std::string>();
  if (symptoms.contains(name))
    return Error{"cannot use catalogue entry", where, fmt::format("the code '{}' is already taken", name),
                 ""};
  symptoms[name] = std::move(entry);
  return {};
}

}  // namespace

Result<std::vector<CatalogueFile>> read_files(const fs::path& folder) {
  std::vector<CatalogueFile> files;
  const std::vector<fs::path> paths = TRY(yaml_files_below(folder));
  for (const fs::path& path : paths) files.push_back({path, TRY(base::read_file(path, kMaxEntryBytes))});
  if (files.empty()) return Error{"cannot read catalogue", folder.string(), "holds no .yaml file", ""};
  return files;
}

Result<Json> read_catalogue_folder(const fs::path& folder) {
  Json values{{"recipes", Json::object()},
              {"facts", Json::object()},
              {"remedies", Json::object()},
              {"symptoms", Json::object()}};
  const std::vector<CatalogueFile> files = TRY(read_files(folder));
  for (const CatalogueFile& file : files) {
    Json entry = TRY(base::parse_yaml(file.text, file.path.string()));
    if (const std::string kind = file.path.stem().string(); kind != "symptoms" && values.contains(kind)) {
      if (kind == "facts" && entry.is_object()) {
        for (Json& fact : entry) join_alternatives(fact);
      }
      values[kind] = std::move(entry);
    } else {
      join_alternatives(entry);
      TRY(add_symptom(values["symptoms"], std::move(entry), file.path.string()));
    }
  }
  return values;
}

Json overlay(Json below, const Json& added) {
  for (const auto& [kind, entries] : added.items()) {
    for (const auto& [name, entry] : entries.items()) below[kind][name] = entry;
  }
  return below;
}

}  // namespace lockstep::catalogue
