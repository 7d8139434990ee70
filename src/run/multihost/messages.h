// What the watchers of a job's hosts say to each other, as values and as bytes.
//
// Numbers are little-endian, texts and byte strings are preceded by their length (u32). A message is its type
// (u8) and then its fields in the order below. The bytes may come from anyone: decode() gives nothing for
// what is not exactly one whole message.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "run/multihost/sealed_stream.h"

namespace lockstep::multihost {

inline constexpr std::uint16_t kProtocolVersion = 1;
inline constexpr std::size_t kMaxMessageBytes = std::size_t{1} << 20;  // memory that a peer can claim
inline constexpr std::size_t kMaxBytesInOne = std::size_t{64} << 10;   // of a record file

// One process of the job by its place in the recording.
struct RankName {
  std::int32_t rank = 0;
  std::uint32_t restart = 0;

  auto operator<=>(const RankName&) const = default;
};

// The first message of a satellite.
struct Join {
  std::string host;
  std::string version;      // of its lockstep, for people
  std::uint32_t index = 0;  // its number in the job, the head's being 0
  std::int64_t sent_ns = 0;

  bool operator==(const Join&) const = default;
};

// The head's answer, and its answer to a Pulse: the same instant on both clocks, but for the way.
struct Welcome {
  std::string host;
  std::int64_t echoed_ns = 0;
  std::int64_t head_ns = 0;

  bool operator==(const Welcome&) const = default;
};

// A rank of the satellite: the header of its record file.
struct RankFile {
  RankName name;
  std::string header;

  bool operator==(const RankFile&) const = default;
};

// Bytes of that file, as the head is to have them.
struct RecordBytes {
  RankName name;
  std::uint64_t offset = 0;
  bool is_new_chunk = false;  // what was in the chunk before goes
  std::string bytes;

  bool operator==(const RecordBytes&) const = default;
};

struct ProcessState {
  RankName name;
  char state = '?';  // as /proc tells it; X: it has ended
  std::uint64_t cpu_ticks = 0;

  bool operator==(const ProcessState&) const = default;
};

// Everything that the satellite's ranks wrote before `as_of_ns` has been sent. Says also that it is there.
struct Pulse {
  std::int64_t sent_ns = 0;
  std::int64_t as_of_ns = 0;       // both on its own clock
  std::int64_t clock_lead_ns = 0;  // how far the head's clock is before its own
  std::vector<ProcessState> changed;

  bool operator==(const Pulse&) const = default;
};

enum class EvidenceKind : std::uint8_t { kPythonStacks, kNativeStacks, kHostFacts, kKernelLog };
inline constexpr std::uint8_t kEvidenceKinds = 4;
struct EvidenceFile {
  EvidenceKind kind{};
  RankName name;  // of stacks
  std::string text;

  bool operator==(const EvidenceFile&) const = default;
};

// The end of what its part of the job printed, when it ended badly.
struct Output {
  bool is_err = false;
  std::string text;

  bool operator==(const Output&) const = default;
};

// Its part of the job is over, and everything was sent.
struct Bye {
  std::int32_t status = 0;

  bool operator==(const Bye&) const = default;
};

// What the head's watcher said; findings are in the format of findings files.
struct HeadNotice {
  std::uint8_t kind = 0;  // a watch::Kind
  std::string finding;
  std::string standing;  // everything that holds now

  bool operator==(const HeadNotice&) const = default;
};

// The head's verdict at the end of the job.
struct HeadVerdict {
  std::string recording;  // the folder on the head's host
  std::string findings;

  bool operator==(const HeadVerdict&) const = default;
};

using Message = std::variant<Join, Welcome, RankFile, RecordBytes, Pulse, EvidenceFile, Output, Bye,
                             HeadNotice, HeadVerdict>;

std::string encode(const Message& message);
std::optional<Message> decode(std::string_view bytes);

// Both ends of a connection between two watchers, without the connection: bytes in, messages out. A
// satellite's first message is Join, the head's answer Welcome.
class Conversation {
 public:
  Conversation(Side side, std::string token, const Nonce& nonce);

  // As in SealedStream.
  void take(std::string_view bytes);
  std::optional<Message> next();
  bool send(const Message& message);
  std::string_view unsent() const { return stream_.unsent(); }
  void wrote(std::size_t count) { stream_.wrote(count); }

  bool can_send() const { return stream_.can_send(); }
  bool is_trusted() const { return stream_.is_trusted(); }
  Trouble trouble() const { return stream_.trouble(); }
  std::uint16_t other_version() const { return stream_.other_version(); }

 private:
  SealedStream stream_;
  std::deque<Message> messages_;
};

}  // namespace lockstep::multihost
