// usage: shell_commands SCRIPT [ARGUMENT...]
// Prints what the shell reader makes of a script: one JSON object a line for each program that it would
// start. Of the variables that the script does not set, those of this process are known and no others are
// set; with --open none is known.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/json.h"
#include "base/process/environment.h"
#include "shell/interpreter.h"

namespace {

using namespace lockstep;

std::optional<std::string> text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  return shell::without_control_characters(text.str());
}

shell::WordsByName own_variables() {
  shell::WordsByName variables;
  for (const std::string& entry : process::own_environment()) {
    const std::size_t equals = entry.find('=');
    if (equals != std::string::npos) variables[entry.substr(0, equals)] = {entry.substr(equals + 1), {}, {}};
  }
  return variables;
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> given(words + 1, words + count);
  const bool is_open = !given.empty() && given.front() == "--open";
  if (is_open) given.erase(given.begin());
  if (given.empty()) return 2;
  const auto text = text_of(given.front());
  if (!text) return 2;
  shell::Script script{.text = *text, .place = {given.front(), 1}, .name = given.front()};
  if (!is_open) {
    script.variables = own_variables();
    script.arguments.emplace();
    for (std::size_t i = 1; i < given.size(); ++i) script.arguments->push_back({given[i], {}, {}});
  }
  int started = 0;
  const shell::World world{
      .variable =
          [&](const std::string&) {
            return shell::Outer{is_open ? shell::Outer::Kind::kOpen : shell::Outer::Kind::kUnset, {}};
          },
      .file = text_of,
      .start =
          [&](const shell::Command& command) {
            base::Json line = base::Json::object();
            line["line"] = command.words.front().place.line;
            line["words"] = base::Json::array();
            for (const shell::Word& word : command.words) line["words"].push_back(word.text);
            line["environment"] = base::Json::object();
            for (const auto& [name, value] : command.environment) line["environment"][name] = value.text;
            line["alongside"] = command.alongside;
            if (command.input) line["input"] = *command.input;
            line["captured"] = command.is_captured;
            std::cout << base::to_text(line, base::JsonLayout::kOneLine) << "\n";
            return std::vector<int>{started++};
          },
      .note = [](const shell::Note& note) { std::cerr << note.place.line << ": " << note.what << "\n"; },
  };
  shell::interpret(script, world);
  return 0;
}
