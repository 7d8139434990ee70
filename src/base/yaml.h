// YAML, at one edge: the files people write for the catalogue, read into the same values as JSON. Every
// scalar is a string; whoever reads the value knows what it should be.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lockstep::base {

// `where` names the source in the error, with the line of the fault. Aliases are refused: a catalogue has no
// need of them, and a few lines of them can stand for gigabytes.
Result<Json> parse_yaml(std::string_view text, std::string_view where);

// The same for files whose values go on to another program: words that YAML takes for null, true, false or
// numbers are such, unless they are quoted.
Result<Json> parse_typed_yaml(std::string_view text, std::string_view where);

// One document of a file that other programs read too (manifests, compose files): with the line of every
// member and item, by its JSON pointer without escapes ("/spec/containers/0/image").
struct YamlDocument {
  Json value;
  std::map<std::string, int> lines;
};

// All documents of the file. Aliases and merge keys ("<<") stand for what they name, up to a size that no
// file written by people reaches.
Result<std::vector<YamlDocument>> parse_yaml_documents(std::string_view text, std::string_view where);

}  // namespace lockstep::base
