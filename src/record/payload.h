// A rank's payload file in memory, without the bytes of results: what its calls were given and gave back,
// what it had learned at the end of each step, how its process was started. Its size follows the number of
// entries.
#pragma once

#include <array>
#include <compare>
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
  std::uint64_t step = 0;  // steps that had ended when it was issued
  std::uint8_t operation = 0;
  int peer = -1;
  std::uint64_t input_bytes = 0;
  std::optional<ContentHash> input;  // none: it has none, or it could not be read
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

struct Payload {
  int rank = 0;
  int world_size = -1;
  std::uint32_t restart = 0;
  std::vector<PayloadCall> calls;  // in the order in which they were issued
  std::map<PayloadKey, PayloadResult> results;
  std::vector<PayloadState> states;
  std::map<std::uint64_t, std::vector<std::string>> state_names;
  std::map<std::uint64_t, PayloadCommunicator> communicators;
  std::set<ContentHash> blobs;  // whose bytes are in this file
  std::uint64_t blob_bytes = 0;
  std::optional<PayloadProcess> process;
  std::optional<std::uint64_t> stopped_after_step;
  bool is_cut = false;  // its last entry is not whole
};

std::filesystem::path payload_path(const std::filesystem::path& recording, int rank, std::uint32_t restart);

// An error only when it cannot be read or is no payload file; of a damaged one what stands before the damage.
Result<Payload> read_payload(const std::filesystem::path& path);

// The same of bytes in memory, which begin at a multiple of 8.
Result<Payload> decode_payload(const void* data, std::size_t bytes, const std::string& name);

}  // namespace lockstep::record
