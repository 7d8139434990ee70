#include "payload_keeper.h"

#include <string.h>

#include "checksum.h"
#include "hash128.h"

namespace lockstep::recorder {
namespace {

constexpr std::size_t kMostOutputs = 4096;  // of one call; 96 KiB of stack
constexpr std::size_t kMostStates = 16384;  // more are summed as one

lockstep_payload_result result_for(const PayloadKey& key) {
  lockstep_payload_result result{};
  result.communicator = key.communicator;
  result.sequence = key.sequence;
  result.peer = key.peer;
  result.operation = key.operation;
  result.source = -1;
  return result;
}

}  // namespace

int PayloadKeeper::open(const PayloadOptions& options) {
  lockstep_payload_file head{};
  ::memcpy(head.magic, LOCKSTEP_PAYLOAD_FILE_MAGIC, sizeof head.magic);
  head.version = LOCKSTEP_FORMAT_VERSION;
  head.byte_order = LOCKSTEP_BYTE_ORDER;
  head.rank = options.rank;
  head.world_size = options.world_size;
  head.restart = options.restart;
  head.check = lockstep_words_check(&head, sizeof head / 8 - 1, 0);
  keeps_bytes_ = options.claims_path != nullptr;
  if (keeps_bytes_) {
    if (const int error = claims_.open(options.claims_path)) return error;
  }
  const int error = queue_.open(options.path, &head, sizeof head, options.memory_bytes);
  is_open_ = error == 0;
  return error;
}

void PayloadKeeper::note_process(const lockstep_payload_process& process, const lockstep_piece* texts,
                                 std::size_t count) {
  queue_.put(LOCKSTEP_PAYLOAD_PROCESS, &process, sizeof process, texts, count);
}

void PayloadKeeper::note_communicator(std::uint64_t communicator, const char* name, std::size_t name_bytes,
                                      const std::int32_t* members, std::uint32_t member_count) {
  lockstep_payload_communicator fixed{};
  fixed.communicator = communicator;
  fixed.member_count = members == nullptr ? 0 : member_count;
  fixed.name_bytes = static_cast<std::uint32_t>(name_bytes);
  const lockstep_piece pieces[2] = {{members, fixed.member_count * sizeof *members}, {name, name_bytes}};
  queue_.put(LOCKSTEP_PAYLOAD_COMMUNICATOR, &fixed, sizeof fixed, pieces, 2);
}

void PayloadKeeper::keep_input(const PayloadKey& key, const lockstep_piece* pieces, std::size_t count) {
  lockstep_payload_call call{};
  call.communicator = key.communicator;
  call.sequence = key.sequence;
  call.step = step_.load(std::memory_order_relaxed);
  call.peer = key.peer;
  call.operation = key.operation;
  call.input_count = static_cast<std::uint16_t>(count);
  if (pieces == nullptr) {
    call.flags = LOCKSTEP_PAYLOAD_NOT_KEPT;
  } else if (count != 0) {
    call.flags = LOCKSTEP_PAYLOAD_HAS_INPUT;
    for (std::size_t i = 0; i < count; ++i) call.input_bytes += pieces[i].bytes;
    const Hash128 hash = hash128(pieces, count);
    ::memcpy(call.input_hash, hash.bytes, sizeof call.input_hash);
  }
  queue_.put(LOCKSTEP_PAYLOAD_CALL, &call, sizeof call, nullptr, 0);
}

void PayloadKeeper::keep_output(const PayloadKey& key, const lockstep_piece* pieces, std::size_t count,
                                std::int32_t source) {
  lockstep_payload_result result = result_for(key);
  result.source = source;
  lockstep_payload_output outputs[kMostOutputs];
  if (pieces == nullptr || count > kMostOutputs) {
    result.flags = LOCKSTEP_PAYLOAD_NOT_KEPT;
    count = 0;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_kept = keep_bytes(pieces[i], outputs[i]);
    if (!is_kept) result.flags = LOCKSTEP_PAYLOAD_NOT_KEPT;
  }
  result.output_count = static_cast<std::uint16_t>(count);
  const lockstep_piece tail{outputs, count * sizeof *outputs};
  put_result(result, &tail, 1);
}

void PayloadKeeper::keep_failure(const PayloadKey& key, const char* error, std::size_t bytes) {
  lockstep_payload_result result = result_for(key);
  result.flags = LOCKSTEP_PAYLOAD_FAILED;
  result.error_bytes = static_cast<std::uint32_t>(bytes);
  const lockstep_piece tail{error, bytes};
  put_result(result, &tail, 1);
}

void PayloadKeeper::put_result(const lockstep_payload_result& result, const lockstep_piece* tail,
                               std::size_t count) {
  queue_.put(LOCKSTEP_PAYLOAD_RESULT, &result, sizeof result, tail, count);
}

// True unless the bytes are nowhere.
bool PayloadKeeper::keep_bytes(const lockstep_piece& piece, lockstep_payload_output& output) {
  const Hash128 hash = hash128(piece.data, piece.bytes);
  ::memcpy(output.hash, hash.bytes, sizeof output.hash);
  output.bytes = piece.bytes;
  if (!keeps_bytes_ || has_stopped_.load(std::memory_order_relaxed)) return false;
  if (!claims_.claim(short_name(hash.bytes))) return true;
  lockstep_payload_blob blob{};
  ::memcpy(blob.hash, hash.bytes, sizeof blob.hash);
  blob.bytes = piece.bytes;
  const bool is_kept = queue_.put(LOCKSTEP_PAYLOAD_BLOB, &blob, sizeof blob, &piece, 1);
  if (!is_kept) stop();
  return is_kept;
}

void PayloadKeeper::stop() {
  if (has_stopped_.exchange(true)) return;
  lockstep_payload_stopped stopped{};
  stopped.step = step_.load(std::memory_order_relaxed);
  stopped.error = queue_.error();
  queue_.put(LOCKSTEP_PAYLOAD_STOPPED, &stopped, sizeof stopped, nullptr, 0);
}

void PayloadKeeper::keep_state(std::uint64_t step, const char* names, std::size_t names_bytes,
                               const lockstep_piece* pieces, std::size_t count) {
  const lockstep_piece text{names, names_bytes};
  lockstep_payload_state state{};
  state.step = step;
  state.names = count == 0 ? 0 : checksum(&text, 1);
  const std::size_t rest = count > kMostStates ? count - kMostStates + 1 : 1;
  state.count = count == 0 ? 0 : count - rest + 1;
  if (state.names != 0 && names_.exchange(state.names) != state.names) {
    const lockstep_payload_state_names fixed{state.names, names_bytes};
    queue_.put(LOCKSTEP_PAYLOAD_STATE_NAMES, &fixed, sizeof fixed, &text, 1);
  }
  std::uint64_t sums[kMostStates];
  for (std::size_t i = 0; i < state.count; ++i)
    sums[i] = checksum(&pieces[i], i + 1 == state.count ? rest : 1);
  const lockstep_piece tail{sums, state.count * sizeof *sums};
  queue_.put(LOCKSTEP_PAYLOAD_STATE, &state, sizeof state, &tail, 1);
  step_.store(step, std::memory_order_relaxed);
}

}  // namespace lockstep::recorder
