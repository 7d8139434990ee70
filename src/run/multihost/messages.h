// What the watchers of a job's hosts say to each other, as values and as bytes.
//
// Numbers are little-endian, texts and byte strings are preceded by their length (u32). A message is its type
// (u8) and then its fields in the order below. The bytes may come from anyone: decode() gives nothing for
// what is not exactly one whole message.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lockstep::multihost {

inline constexpr std::size_t kMostMessageBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostBytesInOne = std::size_t{64} << 10;  // of a record file

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

enum class TestimonyKind : std::uint8_t { kPythonStacks, kNativeStacks, kHostFacts, kKernelLog };
inline constexpr std::uint8_t kTestimonyKinds = 4;
struct Testimony {
  TestimonyKind kind{};
  RankName name;  // of stacks
  std::string text;

  bool operator==(const Testimony&) const = default;
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

using Message = std::variant<Join, Welcome, RankFile, RecordBytes, Pulse, Testimony, Output, Bye, HeadNotice,
                             HeadVerdict>;

std::string encode(const Message& message);
std::optional<Message> decode(std::string_view bytes);

}  // namespace lockstep::multihost
