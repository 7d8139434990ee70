#include "check/repair/hosts_file.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/lines.h"

namespace lockstep::repair {
namespace {

constexpr const char* kHostsFile = "/etc/hosts";

// Names come from facts: nothing else may get into a command.
bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '.' || letter == '-' || letter == '_';
  });
}

bool is_blank(char letter) {
  return letter == ' ' || letter == '\t';
}

// Behind the address; a comment has no names.
std::string without_name(std::string_view line, std::string_view name) {
  std::string made(line);
  const std::size_t comment = std::min(made.find('#'), made.size());
  for (std::size_t at = made.find(name); at < comment; at = made.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool is_word = at > 0 && is_blank(made[at - 1]) && (end == made.size() || is_blank(made[end]));
    if (is_word) return made.replace(at - 1, std::min(end + 1, made.size()) - at + 1, " ");
  }
  return made;
}

std::string command_for(const std::string& name, const std::string& address) {
  std::string pattern;
  for (const char letter : name) pattern += letter == '.' ? std::string("\\.") : std::string(1, letter);
  return fmt::format(
      "new=$(sed -E '/^[^#]*[[:space:]]{1}([[:space:]]|$)/s/[[:space:]]{1}([[:space:]]|$)/ /' {0}) && "
      "printf '%s\\n' \"$new\" '{2} {3}' > {0}",
      kHostsFile, pattern, address, name);
}

}  // namespace

std::string with_name(std::string_view hosts_file, std::string_view name, std::string_view address) {
  std::string made;
  base::Lines lines(hosts_file);
  while (const auto line = lines.next()) made += without_name(*line, name) + "\n";
  return made + fmt::format("{} {}\n", address, name);
}

std::string set_name(hostinfo::HostFacts& facts, const std::string& name, const std::string& address) {
  const auto parsed = base::parse_address(address);
  if (!is_name(name) || !parsed) return "";
  facts.files[kHostsFile] = with_name(facts.files[kHostsFile], name, address);
  auto known = std::ranges::find(facts.names, name, &hostinfo::ResolvedName::name);
  if (known == facts.names.end()) known = facts.names.insert(facts.names.end(), {.name = name});
  *known = {.name = name, .any = {*parsed}, .ipv4 = {*parsed}, .ipv4_error = {}, .canonical = name};
  return command_for(name, address);
}

}  // namespace lockstep::repair
