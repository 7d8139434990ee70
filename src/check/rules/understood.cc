#include "check/rules/understood.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::rules {
namespace {

using base::Json;
using config::FieldPath;
using config::Fields;
using config::LaunchConfig;

constexpr std::size_t kMaxLines = 4;
constexpr std::size_t kMaxOpenNamed = 6;

// "--nproc-per-node" of "torchrun/nproc_per_node".
std::string flag_in_words(const std::string& name) {
  std::string words = "--" + name;
  std::ranges::replace(words, '_', '-');
  return words;
}

std::string launchers_in_words(const LaunchConfig& launch) {
  const auto names = launch.get(Fields::kLaunchers);
  std::vector<std::string> words;
  if (names) {
    for (const std::string& name : names->value) {
      if (std::ranges::find(words, name) == words.end()) words.push_back(name);
    }
  }
  if (launch.has(Fields::kContainers))
    words.emplace_back(launch.has(Fields::kCompose) ? "compose" : "a container");
  if (words.empty() && launch.has(Fields::kProgram))
    words.push_back(launch.text(Fields::kProgramScript).empty() ? "a program"
                                                                : launch.text(Fields::kProgramScript));
  return words.empty() ? "variables" : fmt::format("{}", fmt::join(words, " + "));
}

std::string size_in_words(const LaunchConfig& launch) {
  const auto nodes = launch.number(Fields::kNodes);
  const auto ranks = launch.number(Fields::kRanksPerNode);
  const auto world = launch.number(Fields::kWorldSize);
  std::string words;
  if (nodes) words = fmt::format("{} node{}", *nodes, *nodes == 1 ? "" : "s");
  if (ranks) {
    words += fmt::format("{}{} rank{}", nodes ? " x " : "", *ranks, *ranks == 1 ? "" : "s");
    if (!nodes) words += " a node";
  } else if (world) {
    words += fmt::format("{}{} rank{} in all", nodes ? ", " : "", *world, *world == 1 ? "" : "s");
  }
  return words;
}

std::string master_in_words(const LaunchConfig& launch) {
  const std::string address = launch.text(Fields::kMasterAddress);
  const auto number = launch.number(Fields::kMasterPort);
  if (address.empty()) return "";
  return number ? fmt::format("master {}:{}", address, *number) : fmt::format("master {}", address);
}

void add_open(const Json& raw, const std::string& section, std::vector<std::string>& open) {
  const auto found = raw.find(section);
  if (found == raw.end() || !found->is_object()) return;
  for (const auto& [name, value] : found->items()) open.push_back(flag_in_words(name));
}

// Flags of launchers whose values are open, and sections that may hold more.
std::vector<std::string> open_in_words(const LaunchConfig& launch) {
  std::vector<std::string> open;
  const Json& tree = launch.view().tree();
  if (const auto raw = tree.find(std::string(Fields::kAtRunTime.text()));
      raw != tree.end() && raw->is_object()) {
    for (const auto& [section, values] : raw->items())
      if (section != Fields::kVariables.text()) add_open(*raw, section, open);
  }
  if (const auto sections = tree.find(std::string(Fields::kOpen.text()));
      sections != tree.end() && sections->is_object()) {
    for (const auto& [section, words] : sections->items())
      open.push_back(
          fmt::format("more of {} in {}", section, words.is_string() ? words.get<std::string>() : "?"));
  }
  if (launch.has(Fields::kPods) && !launch.has(Fields::kRankPods)) open.emplace_back("the number of pods");
  if (open.size() > kMaxOpenNamed) {
    const std::size_t more = open.size() - kMaxOpenNamed;
    open.resize(kMaxOpenNamed);
    open.push_back(fmt::format("{} more", more));
  }
  return open;
}

std::string line_of(const LaunchConfig& launch) {
  std::string line = launchers_in_words(launch);
  for (const std::string& part : {size_in_words(launch), master_in_words(launch)}) {
    if (!part.empty()) line += ", " + part;
  }
  const std::vector<std::string> open = open_in_words(launch);
  if (!open.empty()) line += fmt::format("; open: {}", fmt::join(open, ", "));
  return line;
}

void add_values(const Json& tree, const std::string& path, const LaunchConfig& launch, Json& values) {
  if (tree.is_structured()) {
    std::size_t at = 0;
    for (const auto& [name, value] : tree.items()) {
      const std::string part = tree.is_array() ? std::to_string(at++) : name;
      add_values(value, path.empty() ? part : path + "/" + part, launch, values);
    }
    return;
  }
  const std::string open_part = fmt::format("{}/", Fields::kAtRunTime.text());
  Json value = Json::object();
  const bool is_open = path.starts_with(open_part);
  value["path"] = is_open ? path.substr(open_part.size()) : path;
  value[is_open ? "open" : "value"] = tree;
  if (const config::Origin* const origin = launch.view().origin_of(path)) {
    if (!origin->file.empty()) value["file"] = origin->file;
    if (origin->line) value["line"] = *origin->line;
    value["how"] = origin->how;
  }
  values.push_back(std::move(value));
}

}  // namespace

std::vector<std::string> understood_lines(const config::Configuration& configuration) {
  std::vector<std::string> lines;
  std::vector<std::size_t> counts;
  for (const LaunchConfig& launch : configuration.launches) {
    const std::string line = line_of(launch);
    const auto same = std::ranges::find(lines, line);
    if (same != lines.end()) {
      ++counts[static_cast<std::size_t>(same - lines.begin())];
    } else {
      lines.push_back(line);
      counts.push_back(1);
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (counts[i] > 1) lines[i] += fmt::format(" ({} times)", counts[i]);
  }
  if (lines.size() > kMaxLines) {
    const std::size_t more = lines.size() - kMaxLines;
    lines.resize(kMaxLines);
    lines.push_back(fmt::format("{} more launches", more));
  }
  return lines;
}

Json understood_json(const config::Configuration& configuration) {
  Json launches = Json::array();
  for (const LaunchConfig& launch : configuration.launches) {
    Json one = Json::object();
    const auto names = launch.get(Fields::kLaunchers);
    one["launchers"] = Json::array();
    if (names) {
      for (const std::string& name : names->value) one["launchers"].push_back(name);
    }
    one["line"] = line_of(launch);
    one["values"] = Json::array();
    add_values(launch.view().tree(), "", launch, one["values"]);
    launches.push_back(std::move(one));
  }
  return launches;
}

}  // namespace lockstep::rules
