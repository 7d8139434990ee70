#include <algorithm>

#include <fmt/format.h>

#include "cli/docs.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-";

std::vector<std::string_view> lines_of(std::string_view page) {
  std::vector<std::string_view> lines;
  while (!page.empty()) {
    lines.push_back(page.substr(0, page.find('\n')));
    page.remove_prefix(std::min(page.size(), lines.back().size() + 1));
  }
  return lines;
}

// "- `-o FILE`, `--out=FILE`: ..." has an entry for "out".
std::vector<std::string_view> flags_with_an_entry(const std::vector<std::string_view>& lines) {
  std::vector<std::string_view> names;
  for (const std::string_view line : lines) {
    const std::size_t dashes = line.find("`--");
    if (!line.starts_with("- `-") || dashes == std::string_view::npos) continue;
    const std::string_view name = line.substr(dashes + 3);
    names.push_back(name.substr(0, name.find_first_not_of(kNameCharacters)));
  }
  return names;
}

}  // namespace

std::vector<std::string> disagreements(const Verb& verb, std::string_view page) {
  std::vector<std::string> found;
  const std::string title = fmt::format("# lockstep {}", verb.name);
  if (page.substr(0, page.find('\n')) != title) found.push_back(fmt::format("the title is not '{}'", title));
  const std::string usage = fmt::format("    lockstep {}\n", verb.usage);
  if (page.find(usage) == std::string_view::npos)
    found.push_back(fmt::format("no usage line '{}'", verb.usage));

  const std::vector<Flag> flags = flags_of(verb);
  const std::vector<std::string_view> entries = flags_with_an_entry(lines_of(page));
  for (const Flag& flag : flags) {
    const bool has_entry = std::ranges::find(entries, flag.name) != entries.end();
    if (!has_entry) found.push_back(fmt::format("no entry for --{}", flag.name));
  }
  for (const std::string_view entry : entries) {
    const bool is_flag = std::ranges::find(flags, entry, &Flag::name) != flags.end();
    if (!is_flag) found.push_back(fmt::format("an entry for --{}, which {} does not have", entry, verb.name));
  }
  return found;
}

}  // namespace lockstep::cli
