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

constexpr std::size_t kLargestEntry = std::size_t{1} << 20;

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

Result<Json> read_catalogue_folder(const fs::path& folder) {
  Json values{{"recipes", Json::object()},
              {"facts", Json::object()},
              {"remedies", Json::object()},
              {"symptoms", Json::object()}};
  const std::vector<fs::path> files = TRY(yaml_files_below(folder));
  if (files.empty()) return Error{"cannot read catalogue", folder.string(), "holds no .yaml file", ""};
  for (const fs::path& file : files) {
    const std::string text = TRY(base::read_file(file, kLargestEntry));
    Json entry = TRY(base::parse_yaml(text, file.string()));
    if (const std::string kind = file.stem().string(); kind != "symptoms" && values.contains(kind)) {
      values[kind] = std::move(entry);
    } else {
      TRY(add_symptom(values["symptoms"], std::move(entry), file.string()));
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
