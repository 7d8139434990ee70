// What was typed after the verb, checked against its table and otherwise untouched. What a verb builds from
// it is the verb's own type.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/verb.h"

namespace lockstep::cli {

class Args {
 public:
  explicit Args(const Verb& verb) : verb_(&verb) {}

  // Asking for a flag that is not in the verb's table is our bug and fails a CHECK.
  bool has(std::string_view flag) const;                          // was it typed?
  std::optional<std::string> value(std::string_view flag) const;  // as typed, else the table's default
  std::vector<std::string> values(std::string_view flag) const;   // of a repeatable flag, in order

  void add(std::string_view flag, std::string value);  // "" for a switch

  std::vector<std::string> operands;
  std::vector<std::string> command;  // after --, byte for byte

 private:
  const std::vector<std::string>* typed(std::string_view flag) const;

  const Verb* verb_;
  std::map<std::string, std::vector<std::string>, std::less<>> typed_;
};

}  // namespace lockstep::cli
