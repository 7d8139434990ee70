#include "base/process/environment.h"

#include <algorithm>
#include <unistd.h>

#include "base/text_fields.h"

namespace lockstep::process {

std::vector<std::string_view> folders_in(std::string_view list) {
  std::vector<std::string_view> folders;
  while (!list.empty()) {
    const std::string_view folder = base::word_of(list, ':');
    list.remove_prefix(std::min(list.size(), folder.size() + 1));
    if (!folder.empty()) folders.push_back(folder);
  }
  return folders;
}

bool is_program(const std::filesystem::path& place) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(place, ignored) && ::access(place.c_str(), X_OK) == 0;
}

std::string program_in(std::string_view list, const std::string& name) {
  for (const std::string_view folder : folders_in(list)) {
    const std::filesystem::path place = std::filesystem::path(folder) / name;
    if (is_program(place)) return place.string();
  }
  return "";
}

std::string program_for(const std::string& name, const std::vector<std::string>& environment) {
  if (name.find('/') != std::string::npos) return name;
  for (const std::string& entry : environment) {
    if (!entry.starts_with("PATH=")) continue;
    std::string found = program_in(std::string_view(entry).substr(5), name);
    if (!found.empty()) return found;
  }
  return name;
}

}  // namespace lockstep::process
