// What became of one connection.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::probe {

enum class End : std::uint8_t {
  kOpen,           // made, and everything passed
  kOpenToOther,    // made; another program listens there
  kRefused,        // told at once
  kUnreachable,    // no route, or a firewall that says so
  kSilent,         // nothing came back
  kNoAnswer,       // made, but nobody who has the token answered
  kWrongHost,      // another host's agent answered
  kLargeLost,      // small messages passed, a large one from here was lost
  kLargeLostBack,  // ... the other way
  kNotTried,       // this side could not begin
};
inline constexpr std::uint8_t kEnds = 10;

struct Outcome {
  std::uint32_t id = 0;
  End end = End::kNotTried;
  std::int32_t error = 0;  // errno, where there was one
  std::uint8_t attempts = 0;
  std::uint32_t answered_by = 0;  // the host's number, when it answered
  std::uint64_t connect_ns = 0;   // until the connection was made
  std::uint64_t latency_ns = 0;   // there and back, the median of the echoes; 0: not measured
  std::uint64_t bytes_per_s = 0;  // 0: not measured

  bool operator==(const Outcome&) const = default;
};

constexpr bool is_open(End end) {
  return end == End::kOpen || end == End::kOpenToOther;
}
// The sender is not told, so a job waits.
constexpr bool is_silent(End end) {
  return end == End::kSilent || end == End::kNoAnswer;
}
constexpr bool is_large_lost(End end) {
  return end == End::kLargeLost || end == End::kLargeLostBack;
}

// "silent", "refused", ...: as JSON has it.
std::string_view word_for(End end);
// "nothing came back"
std::string_view in_words(End end);

}  // namespace lockstep::probe
