#include "check/repair/describe.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/escape.h"
#include "check/repair/launch_text.h"
#include "check/repair/line_diff.h"

namespace lockstep::repair {
namespace {

std::vector<std::string> hosts_of(const Repair& repair) {
  std::vector<std::string> names;
  for (const HostChange& change : repair.hosts)
    if (std::ranges::find(names, change.host) == names.end()) names.push_back(change.host);
  return names;
}

std::string command_line(const config::Words& command) {
  std::string line;
  for (const std::string& word : command) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

std::string note_on(EditKind kind) {
  if (kind == EditKind::kFirewall) return "   # firewall";
  return kind == EditKind::kSystem ? "   # system" : "";
}

// With the patch of a file of the host.
std::string change_in_words(const HostChange& change) {
  std::string text = fmt::format("    {}{}\n", change.command, note_on(change.kind));
  if (!change.file.file.empty()) text += line_diff(change.file.file, change.file.before, change.file.after);
  return text;
}

std::string changes_in_words(const Repair& repair) {
  std::string text = "To repair it (check was asked again with these changes and finds no other error)\n";
  for (const FileChange& file : repair.files) text += "\n" + line_diff(file.file, file.before, file.after);
  for (const std::string& host : hosts_of(repair)) {
    text += fmt::format("\n  on {}\n", host);
    for (const HostChange& change : repair.hosts)
      if (change.host == host) text += change_in_words(change);
  }
  if (!repair.command.empty())
    text += fmt::format("\n  start the job with\n    {}\n", command_line(repair.command));
  return text;
}

base::Json command_in_json(const HostChange& change) {
  base::Json json = {{"kind", name_of(change.kind)}, {"command", change.command}};
  if (!change.file.file.empty())
    json["diff"] = line_diff(change.file.file, change.file.before, change.file.after);
  return json;
}

}  // namespace

std::string_view name_of(EditKind kind) {
  constexpr std::string_view kNames[] = {"environment", "launch", "firewall", "system"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string to_text(const Repair& repair) {
  if (!repair.is_needed) return "";
  std::string text;
  if (!repair.empty()) text = changes_in_words(repair);
  if (!repair.in_the_way.empty()) {
    text += repair.empty() ? "No change of variables, files or firewalls repairs it. In the way:\n"
                           : "\nThis stays, and no such change mends it:\n";
    for (const std::string& why : repair.in_the_way) text += fmt::format("  - {}\n", why);
  } else if (repair.empty()) {
    text = "There is nothing that must be repaired.\n";
  }
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    safe += base::escape_for_terminal(text.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return safe;
}

std::string to_markdown(const Repair& repair) {
  const std::string text = to_text(repair);
  return text.empty() ? "" : fmt::format("## Repair\n\n````\n{}````\n", text);
}

base::Json to_json(const Repair& repair) {
  base::Json json = {{"needed", repair.is_needed},
                     {"verified", !repair.empty()},
                     {"files", base::Json::array()},
                     {"hosts", base::Json::array()}};
  for (const FileChange& file : repair.files)
    json["files"].push_back({{"file", file.file}, {"diff", line_diff(file.file, file.before, file.after)}});
  for (const std::string& host : hosts_of(repair)) {
    base::Json commands = base::Json::array();
    for (const HostChange& change : repair.hosts)
      if (change.host == host) commands.push_back(command_in_json(change));
    json["hosts"].push_back({{"host", host}, {"commands", std::move(commands)}});
  }
  if (!repair.command.empty()) json["command"] = repair.command;
  json["in_the_way"] = repair.in_the_way;
  return json;
}

}  // namespace lockstep::repair
