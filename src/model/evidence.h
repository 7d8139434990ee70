// What a finding stands on: a place in the input that a person can go and look at.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::model {

// How the evidence supports the finding, strongest first.
enum class EvidenceLevel : std::uint8_t {
  kSeen,      // the input says it
  kInferred,  // it follows from what several inputs say
  kAbsence    // something that should be there is not
};

struct Evidence {
  std::string file;
  std::optional<std::int64_t> line;
  std::optional<int> rank;
  std::string text;  // the line or record itself, exactly as read; reporters escape it
  EvidenceLevel level = EvidenceLevel::kSeen;

  bool operator==(const Evidence&) const = default;
};

}  // namespace lockstep::model
