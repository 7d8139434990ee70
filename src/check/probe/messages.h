// What the one who probes and its agents say to each other, as values and as bytes.
//
// A message is its type (u8), its fields in the order below, and a newline: some launchers hand on what a
// program prints line by line. The bytes may come from anyone: decode() gives nothing for what is not exactly
// one whole message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/net/address.h"

namespace lockstep::probe {

// What became of one connection.
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

inline constexpr std::size_t kMaxMessageBytes = std::size_t{16} << 20;
inline constexpr std::uint32_t kMaxLargeBytes = std::uint32_t{1} << 20;

// The first message of an agent.
struct Hello {
  std::string host;     // its name there
  std::string version;  // of its lockstep, for people

  bool operator==(const Hello&) const = default;
};

// The agent is to collect its host's facts, and its answer.
struct AskFacts {
  std::vector<std::string> names;  // to resolve there
  std::string python;

  bool operator==(const AskFacts&) const = default;
};
struct Facts {
  std::string json;

  bool operator==(const Facts&) const = default;
};

// Where the agent is to listen: at one port of the range.
struct ListenOrder {
  std::uint32_t id = 0;
  base::Address address;
  std::uint16_t first_port = 0;
  std::uint16_t last_port = 0;

  bool operator==(const ListenOrder&) const = default;
};
struct Listen {
  std::uint32_t own_number = 0;  // of the agent's host: it answers with it
  std::vector<ListenOrder> orders;

  bool operator==(const Listen&) const = default;
};
struct ListenResult {
  std::uint32_t id = 0;
  std::uint16_t port = 0;
  std::int32_t error = 0;  // errno; 0: it listens

  bool operator==(const ListenResult&) const = default;
};
struct Listening {
  std::vector<ListenResult> results;

  bool operator==(const Listening&) const = default;
};

// A connection to make.
struct CallOrder {
  std::uint32_t id = 0;
  std::uint32_t host = 0;  // who must answer
  bool is_bound = false;
  base::Address source;  // from where, when bound
  base::Address destination;
  std::uint16_t port = 0;
  bool meets_agent = true;         // false: another program listens there
  std::uint32_t large_bytes = 0;   // sent both ways after the small messages passed
  std::uint16_t echoes = 0;        // for the latency
  std::uint32_t stream_bytes = 0;  // for the bandwidth

  bool operator==(const CallOrder&) const = default;
};
struct Call {
  std::uint32_t timeout_ms = 0;
  std::uint32_t retry_timeout_ms = 0;
  std::uint16_t at_once = 1;
  std::vector<CallOrder> orders;

  bool operator==(const Call&) const = default;
};
struct Called {
  std::vector<Outcome> outcomes;

  bool operator==(const Called&) const = default;
};

// Nothing is asked any more.
struct Bye {
  bool operator==(const Bye&) const = default;
};

using Message = std::variant<Hello, AskFacts, Facts, Listen, Listening, Call, Called, Bye>;

std::string encode(const Message& message);
std::optional<Message> decode(std::string_view bytes);

}  // namespace lockstep::probe
