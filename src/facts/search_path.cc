#include "facts/search_path.h"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

#include "base/text_fields.h"

namespace lockstep::facts {

std::vector<std::string_view> folders_in(std::string_view list) {
  std::vector<std::string_view> folders;
  while (!list.empty()) {
    const std::string_view folder = base::word_of(list, ':');
    list.remove_prefix(std::min(list.size(), folder.size() + 1));
    if (!folder.empty()) folders.push_back(folder);
  }
  return folders;
}

std::string program_in(std::string_view list, const std::string& name) {
  for (const std::string_view folder : folders_in(list)) {
    const std::filesystem::path place = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(place, ignored) && ::access(place.c_str(), X_OK) == 0)
      return place.string();
  }
  return "";
}

}  // namespace lockstep::facts
