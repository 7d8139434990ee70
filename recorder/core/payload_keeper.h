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

// Which steps' bytes are kept.
struct PayloadWindow {
  std::uint64_t steps = 0;        // the last so many; 0: all
  bool since_checkpoint = false;  // those since the checkpoint before the last one
};

struct PayloadOptions {
  const char* base = nullptr;         // the path of its files without their extensions
  const char* claims_path = nullptr;  // null: hashes only, no bytes are kept
  std::int32_t rank = 0;
  std::int32_t world_size = -1;
  std::uint32_t restart = 0;
  std::size_t memory_bytes = 0;
  PayloadWindow window = {};
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
  void tell_now(lockstep_payload_moment& moment) const;
  void keep_input_sum(const PayloadKey& key, const lockstep_payload_moment& moment, const std::uint8_t* sum,
                      std::uint64_t bytes, std::size_t count);
  void keep_output(const PayloadKey& key, const lockstep_piece* pieces, std::size_t count,
                   std::int32_t source);
  void keep_failure(const PayloadKey& key, const char* error, std::size_t bytes);
  void keep_state(std::uint64_t step, const char* names, std::size_t names_bytes,
                  const lockstep_piece* pieces, std::size_t count);

  // The two parts of keep_state.
  void end_step(std::uint64_t step);
  void keep_state_sums(std::uint64_t step, const lockstep_piece& names, const std::uint64_t* sums,
                       std::size_t count);

  // A step begins; in a replay that resumes so many had ended before the first.
  void begin_step(std::uint64_t ended_before);

  void keep_entropy(const lockstep_payload_entropy& head, const void* data);

  // The job has saved its state to a file.
  void note_checkpoint(const char* path, std::size_t bytes);

  // No more bytes are kept: an errno, or 0 when they cannot be kept as fast as they come.
  void stop(int error);
  bool has_stopped();

  void drain() { queue_.drain(); }

 private:
  bool is_worth_a_sum(const lockstep_piece* pieces, std::size_t count) const;
  std::uint32_t generation_of(std::uint64_t step) const;
  void begin_generation();
  bool keep_bytes(const lockstep_piece& piece, lockstep_payload_output& output);
  void put_result(const lockstep_payload_result& result, const lockstep_piece* tail, std::size_t count);

  PayloadQueue queue_;
  SharedClaims claims_;
  std::atomic<std::uint64_t> step_{0};  // steps that have ended
  std::atomic<bool> is_in_step_{false};
  std::atomic<std::uint64_t> names_{0};
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<std::uint64_t> next_sums_ns_{0};  // when the state is summed again
  std::atomic<bool> has_stopped_{false};
  PayloadWindow window_;
  bool keeps_bytes_ = false;
  bool is_open_ = false;
};

}  // namespace lockstep::recorder
