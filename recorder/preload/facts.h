// Structures from adapters that may be older or newer than this library: the part both know, zeros behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string.h>

namespace lockstep::recorder {

template <typename Facts>
Facts known_part(const Facts* given) {
  Facts facts{};
  if (given == nullptr) return facts;
  const std::size_t size = given->size < sizeof facts ? given->size : sizeof facts;
  ::memcpy(&facts, given, size);
  return facts;
}

}  // namespace lockstep::recorder
