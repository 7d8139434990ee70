// Keeps what a rank's calls were given and gave back: composes the entries of payload_format.h and decides
// whose file gets the bytes of a result.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "lockstep/payload.h"
#include "lockstep/payload_format.h"

#include "payload_queue.h"
#include "shared_claims.h"

namespace lockstep::recorder {

struct PayloadOptions {
  const char* path = nullptr;
  const char* claims_path = nullptr;  // null: hashes only, no bytes are kept
  std::int32_t rank = 0;
  std::int32_t world_size = -1;
  std::uint32_t restart = 0;
  std::size_t memory_bytes = 0;
};

// How a call is found again, in another process too.
struct PayloadKey {
  std::uint64_t communicator;  // XXH3-64 of name and members
  std::uint64_t sequence;
  std::int32_t peer;
  std::uint8_t operation;
};

class PayloadKeeper {
 public:
  int open(const PayloadOptions& options);
  bool is_open() const { return is_open_; }

  void note_process(const lockstep_payload_process& process, const lockstep_piece* texts, std::size_t count);
  void note_communicator(std::uint64_t communicator, const char* name, std::size_t name_bytes,
                         const std::int32_t* members, std::uint32_t member_count);

  void keep_input(const PayloadKey& key, const lockstep_piece* pieces, std::size_t count);
  void keep_output(const PayloadKey& key, const lockstep_piece* pieces, std::size_t count,
                   std::int32_t source);
  void keep_failure(const PayloadKey& key, const char* error, std::size_t bytes);
  void keep_state(std::uint64_t step, const char* names, std::size_t names_bytes,
                  const lockstep_piece* pieces, std::size_t count);

  void drain() { queue_.drain(); }

 private:
  bool keep_bytes(const lockstep_piece& piece, lockstep_payload_output& output);
  void put_result(const lockstep_payload_result& result, const lockstep_piece* tail, std::size_t count);
  void stop();

  PayloadQueue queue_;
  SharedClaims claims_;
  std::atomic<std::uint64_t> step_{0};  // steps that have ended
  std::atomic<std::uint64_t> names_{0};
  std::atomic<bool> has_stopped_{false};
  bool keeps_bytes_ = false;
  bool is_open_ = false;
};

}  // namespace lockstep::recorder
