// Bytes from a terminal become keys. Sequences may arrive in pieces; an escape alone is the Esc key once no
// more has come for kEscapeWaitMs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::top {

enum class Key : std::uint8_t {
  kUp,
  kDown,
  kPageUp,
  kPageDown,
  kHome,
  kEnd,
  kEnter,
  kEscape,
  kLeave,
  kSort,
  kReverse,
  kFold,
  kWaits,
  kHelp,
  kRedraw,
  kSuspend
};

class KeyDecoder {
 public:
  static constexpr int kEscapeWaitMs = 50;

  std::vector<Key> feed(std::string_view bytes);

  bool is_inside_sequence() const { return !pending_.empty(); }
  std::vector<Key> no_more_came();

 private:
  std::string pending_;  // begins with an escape
};

}  // namespace lockstep::top
