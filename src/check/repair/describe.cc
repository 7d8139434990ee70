#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/escape.h"
#include "check/repair/launch_value.h"
#include "check/repair/repair.h"

namespace lockstep::repair {
namespace {

constexpr std::size_t kContext = 3;  // lines around a change, as diff -u has them; held by LineDiff.IsAPatch
// Cells of the table of pairs of lines, about 2,000 lines of each text: beyond, all that lies between the
// first and the last change is replaced.
constexpr std::size_t kMaxCells = std::size_t{4} << 20;

using Lines = std::vector<std::string_view>;

struct DescribedLine {
  char mark;  // ' ', '-', '+'
  std::string_view text;
};

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// By the longest common subsequence.
std::vector<DescribedLine> compared(const Lines& before, const Lines& after) {
  std::vector<DescribedLine> result;
  if ((before.size() + 1) * (after.size() + 1) > kMaxCells) {
    for (const std::string_view line : before) result.push_back({'-', line});
    for (const std::string_view line : after) result.push_back({'+', line});
    return result;
  }
  const std::size_t columns = after.size() + 1;
  std::vector<std::size_t> longest((before.size() + 1) * columns, 0);
  for (std::size_t i = before.size(); i-- > 0;)
    for (std::size_t j = after.size(); j-- > 0;)
      longest[i * columns + j] = before[i] == after[j]
                                     ? longest[(i + 1) * columns + j + 1] + 1
                                     : std::max(longest[(i + 1) * columns + j], longest[i * columns + j + 1]);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      result.push_back({' ', before[i++]});
      ++j;
    } else if (i < before.size() &&
               (j == after.size() || longest[(i + 1) * columns + j] >= longest[i * columns + j + 1])) {
      result.push_back({'-', before[i++]});
    } else {
      result.push_back({'+', after[j++]});
    }
  }
  return result;
}

std::string text_of(const DescribedLine& line) {
  std::string text = fmt::format("{}{}", line.mark, line.text);
  if (!text.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  return text;
}

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

std::string line_diff(const std::string& file, std::string_view before, std::string_view after) {
  if (before == after) return "";
  const std::vector<DescribedLine> lines = compared(lines_of(before), lines_of(after));
  std::string text = fmt::format("--- {}\n+++ {}\n", file, file);
  const auto is_change = [&](std::size_t at) { return lines[at].mark != ' '; };
  std::size_t at = 0;
  std::size_t old_line = 1;
  std::size_t new_line = 1;
  const auto pass = [&](std::size_t until) {
    for (; at < until; ++at) {
      if (lines[at].mark != '+') ++old_line;
      if (lines[at].mark != '-') ++new_line;
    }
  };
  for (std::size_t next = 0; next < lines.size(); ++next) {
    if (!is_change(next)) continue;
    std::size_t end = next;  // behind the last change that is near the one before it
    for (std::size_t i = next; i < lines.size() && i <= end + 2 * kContext; ++i)
      if (is_change(i)) end = i + 1;
    pass(std::max(at, next < kContext ? 0 : next - kContext));
    const std::size_t stop = std::min(lines.size(), end + kContext);
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    std::string body;
    for (std::size_t i = at; i < stop; ++i) {
      old_count += lines[i].mark != '+' ? 1 : 0;
      new_count += lines[i].mark != '-' ? 1 : 0;
      body += text_of(lines[i]);
    }
    text += fmt::format("@@ -{},{} +{},{} @@\n{}", old_count == 0 ? old_line - 1 : old_line, old_count,
                        new_count == 0 ? new_line - 1 : new_line, new_count, body);
    pass(stop);
    next = stop - 1;
  }
  return text;
}

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
