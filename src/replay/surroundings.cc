#include "replay/surroundings.h"

#include <string_view>

#include <fmt/format.h>

namespace lockstep::replay {
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
