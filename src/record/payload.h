// A rank's payload files in memory, without the bytes of results: what its calls were given and gave back,
// what it had learned at the end of each step, how its process was started. Its size follows the number of
// entries.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace lockstep::record {

using ContentHash = std::array<std::uint8_t, 16>;

// How a call is found in another process. Collectives of a communicator are numbered together; sends and
// receives for each partner and direction.
struct PayloadKey {
  std::uint64_t communicator = 0;
  std::uint64_t sequence = 0;
  int peer = -1;  // of a send or receive; else -1
  bool is_send = false;
  bool is_receive = false;

  auto operator<=>(const PayloadKey&) const = default;
};

struct PayloadCall {
  PayloadKey key;
  std::uint64_t step = 0;         // steps that had ended when it was issued
  bool is_between_steps = false;  // before the first one, or after one and before the next
  std::uint8_t operation = 0;
  int peer = -1;
  std::uint64_t input_bytes = 0;
  std::optional<ContentHash> input;  // none: it has none, or it could not be read
  bool is_device_sum = false;        // `input` was made by a device, not by a hash of bytes
};

struct PayloadOutput {
  ContentHash hash{};
  std::uint64_t bytes = 0;
};

struct PayloadResult {
  bool has_failed = false;
  bool is_kept = true;
  std::string error;
  std::vector<PayloadOutput> outputs;
};

struct PayloadState {
  std::uint64_t step = 0;
  std::uint64_t names = 0;  // in Payload::state_names
  std::vector<std::uint64_t> sums;
};

struct PayloadProcess {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=VALUE"
  std::string folder;
  std::string program;
};

struct PayloadCommunicator {
  std::string name;
  std::vector<int> members;  // empty: not known
};

// Files of the rank that belong together: part 0 is how it began, others are those of a window of steps.
struct PayloadPart {
  std::uint32_t number = 0;
  std::uint64_t first_step = 0;  // steps that had ended
};

// The job's own, with which its script can go on.
struct PayloadCheckpoint {
  std::uint64_t step = 0;  // steps that had ended
  std::string path;
};

struct PayloadStop {
  std::uint64_t step = 0;
  int error = 0;  // an errno; 0: the disk could not follow
};

struct Payload {
  int rank = 0;
  int world_size = -1;
  std::uint32_t restart = 0;
  std::vector<PayloadCall> calls;  // in the order in which they were issued
  std::map<PayloadKey, PayloadResult> results;
  std::vector<PayloadState> states;
  std::map<std::uint64_t, std::vector<std::string>> state_names;
  std::map<std::uint64_t, PayloadCommunicator> communicators;
  std::vector<PayloadPart> parts;
  std::vector<PayloadCheckpoint> checkpoints;
  std::set<ContentHash> blobs;  // whose bytes are in these files
  std::uint64_t blob_bytes = 0;
  std::optional<PayloadProcess> process;
  std::optional<PayloadStop> stopped;
  bool is_cut = false;  // the last entry of a file is not whole
};

// Steps that had ended when what is left of a window begins; 0: nothing was removed.
std::uint64_t window_begin(const Payload& payload);

// Of a rank: not one that belongs to another file.
bool is_first_payload_part(const std::filesystem::path& path);

std::filesystem::path payload_path(const std::filesystem::path& recording, int rank, std::uint32_t restart);

// The part 0 at `path` and the parts beside it. An error only when part 0 cannot be read or is no payload
// file; of a damaged one what stands before the damage.
Result<Payload> read_payload(const std::filesystem::path& path);

// The same of bytes in memory, which begin at a multiple of 8.
Result<Payload> decode_payload(const void* data, std::size_t bytes, const std::string& name);

// The bytes of what calls returned, which lie in the payload files of any rank of a host. Of one content;
// none when the recording does not hold it.
std::optional<std::vector<std::byte>> read_content(const std::filesystem::path& recording,
                                                   const PayloadOutput& output);

}  // namespace lockstep::record
