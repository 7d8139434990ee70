#include <fmt/format.h>

#include "base/lines.h"
#include "base/text_fields.h"
#include "config/reading.h"
#include "launchers/tf_config.h"

namespace lockstep::config {
namespace {

struct HostEntry {
  std::string name;
  std::optional<std::int64_t> slots;
};

bool is_host_name(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]") ==
             std::string_view::npos;
}

// name, name:4, name slots=4 max_slots=8
std::optional<HostEntry> entry_of(std::string_view line) {
  const std::string_view first = base::word_of(line, std::string_view(" \t"));
  HostEntry entry{std::string(first), std::nullopt};
  const std::size_t colon = first.rfind(':');
  if (colon != std::string_view::npos && first.find(':') == colon) {
    const auto slots = whole_number(first.substr(colon + 1));
    if (!slots) return std::nullopt;
    entry = {std::string(first.substr(0, colon)), slots};
  }
  if (!is_host_name(entry.name)) return std::nullopt;
  std::string_view rest = base::trimmed(line.substr(first.size()));
  while (!rest.empty()) {
    const std::string_view word = base::word_of(rest, std::string_view(" \t"));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const auto number = whole_number(word.substr(equals + 1));
    if (!number) return std::nullopt;
    if (word.substr(0, equals) == "slots") entry.slots = number;
    rest = base::trimmed(rest.substr(word.size()));
  }
  return entry;
}

std::string_view without_comment(std::string_view line) {
  return base::trimmed(line.substr(0, line.find('#')));
}

void add_host(const HostEntry& entry, const std::string& how, const Reading& reading) {
  const Origin origin = reading.origin(how);
  const auto host = reading.launch.append_group(Fields::kHostList, origin);
  reading.launch.set(host.at(Fields::Host::kName), entry.name, origin);
  if (entry.slots) reading.launch.set(host.at(Fields::Host::kSlots), *entry.slots, origin);
}

}  // namespace

void read_tf_config(std::string_view text, const Reading& reading) {
  const launchers::TfConfig config = launchers::read_tf_config(text);
  const Origin origin = reading.origin("TF_CONFIG");
  reading.launch.append(Fields::kLaunchers, "tf_config", origin);
  for (const launchers::TfConfig::Job& job : config.cluster) {
    const auto addresses = Fields::addresses(job.name);
    reading.launch.set(addresses, base::Json::array(), origin);
    for (const std::string& address : job.addresses) reading.launch.append(addresses, address, origin);
  }
  if (config.type) reading.launch.set(Fields::kTensorflowTaskType, *config.type, origin);
  if (config.index) reading.launch.set(Fields::kTensorflowTaskIndex, *config.index, origin);
  if (!config.faults.empty()) reading.launch.set(Fields::kTensorflowFault, config.faults.back(), origin);
}

void read_hostfile(std::string_view text, const Reading& reading) {
  base::Lines lines(text);
  Reading here = reading;
  while (const auto line = lines.next()) {
    const std::string_view content = without_comment(*line);
    if (content.empty()) continue;
    here.place.line = lines.number();
    if (const auto entry = entry_of(content)) {
      add_host(*entry, "host file", here);
    } else {
      here.fault(fmt::format("'{}' is not a line of a host file", content));
      here.launch.append(Fields::kHostfileFaults, std::string(content), here.origin("host file"));
    }
  }
}

void read_host_list(std::string_view text, const std::string& how, const Reading& reading) {
  while (!text.empty()) {
    const std::string_view item = base::word_of(text, ',');
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    const auto entry = entry_of(base::trimmed(item));
    if (entry) add_host(*entry, how, reading);
  }
}

void read_variables_file(std::string_view text, const Field<TextMap>& section, const Reading& reading) {
  base::Lines lines(text);
  Reading here = reading;
  while (const auto line = lines.next()) {
    here.place.line = lines.number();
    std::string_view content = base::trimmed(*line);
    if (content.starts_with('#')) continue;
    if (content.starts_with("export ")) content = base::trimmed(content.substr(7));
    const std::size_t equals = content.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      if (!content.empty()) here.fault(fmt::format("'{}' sets no variable: it has no '='", content));
      here.launch.append(Fields::faults_of(section), std::string(content), here.origin("line"));
      continue;
    }
    const std::string name(base::trimmed(content.substr(0, equals)));
    std::string_view value = base::trimmed(content.substr(equals + 1));
    const bool is_quoted =
        value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
    if (is_quoted) value = value.substr(1, value.size() - 2);
    here.launch.set(Fields::entry(section, name), std::string(value), here.origin("variable " + name));
  }
}

bool looks_like_hostfile(std::string_view text) {
  base::Lines lines(text);
  int hosts = 0;
  int others = 0;
  while (const auto line = lines.next()) {
    const std::string_view content = without_comment(*line);
    if (content.empty()) continue;
    (entry_of(content) ? hosts : others) += 1;
  }
  return hosts > 0 && others <= hosts;
}

bool looks_like_variables(std::string_view text) {
  base::Lines lines(text);
  int variables = 0;
  while (const auto line = lines.next()) {
    const std::string_view content = base::trimmed(*line);
    if (content.empty() || content.starts_with('#')) continue;
    const std::size_t equals = content.find('=');
    const std::string_view name = content.substr(0, equals);
    if (equals == std::string_view::npos || name.find_first_of(" \t$(\"'") != std::string_view::npos) {
      continue;
    }
    ++variables;
  }
  return variables > 0;
}

}  // namespace lockstep::config
