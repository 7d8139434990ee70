// Prints how Lockstep splits each command line of its standard input (one a line, words parted by tabs): a
// line of JSON each, with the launcher's flags by name, and the program.
#include <iostream>
#include <string>

#include "base/json.h"
#include "launchers/launcher.h"

namespace {

using lockstep::base::Json;
namespace launchers = lockstep::launchers;

launchers::Words words_of(const std::string& line) {
  launchers::Words words;
  std::size_t at = 0;
  while (at <= line.size()) {
    const std::size_t end = std::min(line.find('\t', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

Json split_of(const launchers::Words& words) {
  const auto found = launchers::find_launcher(words);
  if (!found) return {{"error", "no launcher"}};
  const auto split = launchers::split_command(std::span(words).subspan(found->head), *found->launcher->table);
  if (!split.ok()) return {{"error", split.error().where + ": " + split.error().why}};
  Json flags = Json::array();
  for (const launchers::TypedFlag& flag : split.value().flags) {
    Json values = Json::array();
    for (const std::string& value : flag.values) values.push_back(value);
    flags.push_back({{"name", launchers::flag_name(*found->launcher, flag.name)},
                     {"names", std::string(flag.flag->names)},
                     {"values", values}});
  }
  Json program = Json::array();
  for (const std::string& word : split.value().program) program.push_back(word);
  return {{"launcher", std::string(found->launcher->section)}, {"flags", flags}, {"program", program}};
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);)
    std::cout << lockstep::base::to_text(split_of(words_of(line)), lockstep::base::JsonLayout::kOneLine)
              << '\n';
}
