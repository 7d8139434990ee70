#include "check/repair/host_file.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/lines.h"
#include "base/text_fields.h"

namespace lockstep::repair {
namespace {

namespace field = config::field;
// Those of the list and those that were not understood, by the line where each stands.
std::map<std::int64_t, std::string> lines_with_hosts(const config::Settings& launch,
                                                     const std::string& file) {
  std::map<std::int64_t, std::string> names;
  for (const std::string_view list : {field::kHostList, field::kHostfileFaults}) {
    for (std::size_t i = 0; i < launch.count(list); ++i) {
      const std::string path = field::item(list, i);
      const config::Origin* const origin = launch.origin_of(path);
      if (origin != nullptr && origin->file == file && origin->line)
        names[*origin->line] = launch.text(field::member(path, "name"));
    }
  }
  return names;
}

std::string line_of(std::string_view entry) {
  const std::string_view name = base::word_of(entry, ':');
  if (name.size() == entry.size()) return std::string(name);
  return fmt::format("{} slots={}", name, entry.substr(name.size() + 1));
}

// The line as it is where it says the same.
bool says(std::string_view line, std::string_view entry) {
  const std::string_view content = base::trimmed(line.substr(0, line.find('#')));
  return content == line_of(entry) || content == entry;
}

}  // namespace

std::string as_flag(const std::vector<HostEntry>& entries) {
  std::string text;
  for (const HostEntry& entry : entries) {
    if (!text.empty()) text += ",";
    text += entry.slots ? fmt::format("{}:{}", entry.name, *entry.slots) : entry.name;
  }
  return text;
}

bool set_host_file(Situation& situation, const config::Settings& launch, std::string_view hosts) {
  const config::Origin* const origin = launch.origin_of(field::item(field::kHostList, 0));
  if (origin == nullptr || origin->file.empty() || origin->how != "host file") return false;
  const std::string file = origin->file;
  const auto text = situation.text_of(file);
  if (!text.ok()) return false;
  const auto places = lines_with_hosts(launch, file);
  std::string made;
  base::Lines lines(text.value());
  while (const auto line = lines.next()) {
    if (!places.contains(static_cast<std::int64_t>(lines.number()))) {
      made += fmt::format("{}\n", *line);
      continue;
    }
    if (hosts.empty()) continue;
    const std::string_view entry = base::word_of(hosts, ',');
    made += says(*line, entry) ? fmt::format("{}\n", *line) : line_of(entry) + "\n";
    hosts.remove_prefix(std::min(hosts.size(), entry.size() + 1));
  }
  situation.edited[file] = made;
  return true;
}

}  // namespace lockstep::repair
