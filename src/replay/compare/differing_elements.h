// How many elements of a result differ between two recordings, where both hold its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>

#include "record/payload.h"

namespace lockstep::replay {

struct ElementCount {
  std::uint64_t differing = 0;
  std::uint64_t of = 0;

  bool operator==(const ElementCount&) const = default;
};

// Of contents of one size, a multiple of `width`.
ElementCount count_differing(std::span<const std::byte> first, std::span<const std::byte> second,
                             std::size_t width);

struct Recorded {
  const record::Payload& rank;
  std::filesystem::path recording;
};

// `width`: bytes of an element. None where one of the two does not hold the result, or has it in other sizes.
std::optional<ElementCount> differing_elements(const Recorded& first, const Recorded& second,
                                               const record::PayloadKey& call, std::size_t width);

}  // namespace lockstep::replay
