// Follows a script without running it and tells of each program that it would start.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/text.h"

namespace lockstep::shell {

using WordsByName = std::map<std::string, Word, std::less<>>;
using TextsByName = std::map<std::string, std::string, std::less<>>;

// A program that the script would start.
struct Command {
  std::vector<Word> words;
  WordsByName environment;     // what the script gives it: exported, or set for it alone
  std::vector<int> alongside;  // what runs in the background then, by the numbers that World::start gave
  std::optional<std::string> input;    // a here-document, here-string or what `cat` put into the pipe
  bool is_captured = false;            // its output becomes a value: $(...)
  const TextsByName* files = nullptr;  // that the script wrote before
};

// What a variable is that the script has not set.
struct Outer {
  enum class Kind { kOpen, kKnown, kUnset };
  Kind kind = Kind::kOpen;
  Word value = {};
};

struct Note {
  Place place;
  std::string what;  // "sources env.sh, which is not there"
};

// All that a script does not say itself.
struct World {
  std::function<Outer(const std::string& name)> variable;
  // Nothing: it is not there, or is no text.
  std::function<std::optional<std::string>(const std::string& path)> file;
  // Gives numbers to the launches that the command becomes; they come back in Command::alongside.
  std::function<std::vector<int>(const Command&)> start;
  std::function<void(Note)> note;  // what could not be followed, and why something is open
};

struct Script {
  std::string text;
  Place place;                                      // of its first line
  std::string name;                                 // $0
  WordsByName variables = {};                       // exported
  std::optional<std::vector<Word>> arguments = {};  // nothing: not known
};

// The variables that are exported at its end.
WordsByName interpret(const Script& script, const World& world);

// The words of one command line, each variable open: what a line of #SBATCH or a compose file has.
std::vector<std::string> words_of_line(std::string_view line);

}  // namespace lockstep::shell
