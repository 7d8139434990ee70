// What a script knows at one moment: variables, functions, arguments. Copied where the script could go two
// ways, and merged behind: what the two ways left different is open.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/syntax.h"
#include "shell/text.h"

namespace lockstep::shell {

struct Variable {
  std::vector<Word> items = {};  // one for a text
  bool is_array = false;
  bool has_more = false;  // an array: items that are not known, too
  bool is_unset = false;  // by the script
  bool is_exported = false;
  bool may_be_exported = false;  // on some ways through the script

  bool operator==(const Variable&) const = default;
};

using Variables = std::map<std::string, Variable, std::less<>>;

// Why nothing more of a list of statements is carried out.
enum class Stop { kNone, kLoop, kFunction, kScript };

struct State {
  Variables variables;
  std::map<std::string, Node, std::less<>> functions;
  std::map<std::string, std::string, std::less<>> files;  // that the script wrote, by name
  std::vector<Word> arguments;                            // $1 and on
  bool has_open_arguments = true;
  bool exports_all = false;        // set -a
  std::vector<int> in_background;  // commands that may still run
  Stop stop = Stop::kNone;
  std::vector<std::string>* locals = nullptr;  // of the function being called
  Variable past_the_bound = {};                // takes what more variables are set to

  const Variable* find(std::string_view name) const;
  // Keeps whether it is exported. Past the bound on variables nothing is set.
  Variable& set(const std::string& name, Word value);
  Variable& at(const std::string& name);
  // Another way through the script that ends here as well.
  void merge(const State& other);
  // What the two have different is open; `other` is what one round of a loop made of this.
  void widen(const State& other);
};

Word open_variable(std::string_view name, const Place& place);

}  // namespace lockstep::shell
