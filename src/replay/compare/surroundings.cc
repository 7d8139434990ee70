#include "replay/compare/surroundings.h"

#include <string_view>

#include <fmt/format.h>

#include "lockstep/record_format.h"

#include "record/definitions.h"
#include "record/reader.h"
#include "replay/solo_command.h"

namespace lockstep::replay {

namespace {

constexpr std::size_t kMaxAttributes = 1000;

}  // namespace

Attributes attributes_in(const std::filesystem::path& record_file) {
  Attributes found;
  auto definitions = record::Definitions::read(record_file);
  auto reader = record::Reader::open(record_file);
  if (!definitions.ok() || !reader.ok()) return found;
  while (const record::RecordView* view = reader.value().next()) {
    const auto* attribute =
        view->type == LOCKSTEP_RECORD_ATTRIBUTE ? view->as<lockstep_attribute>() : nullptr;
    if (attribute == nullptr || found.size() == kMaxAttributes) continue;
    found[std::string(definitions.value().string(attribute->key))] =
        definitions.value().string(attribute->value);
  }
  return found;
}

std::vector<std::string> differences_between(const Run& first, const Run& second) {
  std::vector<std::string> differences =
      surroundings_that_differ(attributes_in(first.record_file), attributes_in(second.record_file));
  if (!first.payload.process || !second.payload.process) return differences;
  for (std::string& one : differences_between(*first.payload.process, *second.payload.process)) {
    differences.push_back(std::move(one));
  }
  return differences;
}

namespace {

constexpr std::string_view kProgram = "program ";
constexpr std::string_view kLibrary = "library ";
constexpr std::string_view kPlatform = "platform ";

std::string difference(std::string_view key, const std::string& first, const std::string& second) {
  if (key.starts_with(kProgram)) return fmt::format("the program ({})", key.substr(kProgram.size()));
  if (key.starts_with(kPlatform)) {
    return fmt::format("the platform's {} ({} against {})", key.substr(kPlatform.size()), first, second);
  }
  if (key.starts_with(kLibrary)) key.remove_prefix(kLibrary.size());
  return fmt::format("the library {} ({} against {})", key, first, second);
}

// Frameworks are told by their bare names.
bool is_of_kind(std::string_view key, std::string_view kind) {
  return key.starts_with(kind) || (kind == kLibrary && (key == "torch" || key == "mpi"));
}

}  // namespace

std::vector<std::string> surroundings_that_differ(const Attributes& first, const Attributes& second) {
  std::vector<std::string> differences;
  for (const std::string_view kind : {kProgram, kLibrary, kPlatform}) {
    for (const auto& [key, value] : first) {
      const auto other = second.find(key);
      if (!is_of_kind(key, kind) || other == second.end() || other->second == value) continue;
      differences.push_back(difference(key, value, other->second));
    }
  }
  return differences;
}

}  // namespace lockstep::replay
