#include "payload_keeper.h"

#include <string.h>
#include <time.h>

#include "checksum.h"
#include "clock.h"
#include "hash128.h"

namespace lockstep::recorder {
namespace {

constexpr std::size_t kMostOutputs = 4096;  // of one call; 96 KiB of stack
constexpr std::size_t kMostStates = 16384;  // more are summed as one
constexpr std::size_t kSmallState = std::size_t{4} << 20;
constexpr std::uint64_t kFirstSteps = 2;
constexpr std::uint64_t kPartsOfAWindow = 4;

lockstep_payload_call call_for(const PayloadKey& key, const lockstep_payload_moment& moment,
                               std::size_t count) {
  lockstep_payload_call call{};
  call.communicator = key.communicator;
  call.sequence = key.sequence;
  call.step = moment.step;
  call.peer = key.peer;
  call.operation = key.operation;
  call.flags = moment.is_between_steps != 0 ? LOCKSTEP_PAYLOAD_BETWEEN_STEPS : 0;
  call.input_count = static_cast<std::uint16_t>(count);
  return call;
}

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
  keeps_bytes_ = options.claims_path != nullptr;
  window_ = options.window;
  if (keeps_bytes_) {
    if (const int error = claims_.open(options.claims_path)) return error;
  }
  const int error = queue_.open(options.base, head, options.memory_bytes);
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
  lockstep_payload_moment now{};
  tell_now(now);
  lockstep_payload_call call = call_for(key, now, count);
  if (pieces == nullptr) {
    call.flags |= LOCKSTEP_PAYLOAD_NOT_KEPT;
  } else if (count != 0) {
    call.flags |= LOCKSTEP_PAYLOAD_HAS_INPUT;
    for (std::size_t i = 0; i < count; ++i) call.input_bytes += pieces[i].bytes;
    const Hash128 hash = hash128(pieces, count);
    ::memcpy(call.input_hash, hash.bytes, sizeof call.input_hash);
  }
  queue_.put(LOCKSTEP_PAYLOAD_CALL, &call, sizeof call, nullptr, 0);
}

void PayloadKeeper::tell_now(lockstep_payload_moment& moment) const {
  moment.step = step_.load(std::memory_order_relaxed);
  moment.is_between_steps = is_in_step_.load(std::memory_order_relaxed) ? 0 : 1;
}

void PayloadKeeper::keep_input_sum(const PayloadKey& key, const lockstep_payload_moment& moment,
                                   const std::uint8_t* sum, std::uint64_t bytes, std::size_t count) {
  lockstep_payload_call call = call_for(key, moment, count);
  call.flags |= LOCKSTEP_PAYLOAD_HAS_INPUT | LOCKSTEP_PAYLOAD_DEVICE_SUM;
  call.input_bytes = bytes;
  ::memcpy(call.input_hash, sum, sizeof call.input_hash);
  queue_.put(LOCKSTEP_PAYLOAD_CALL, &call, sizeof call, nullptr, 0);
}

void PayloadKeeper::keep_output(const PayloadKey& key, const lockstep_piece* pieces, std::size_t count,
                                std::int32_t source) {
  if (window_.since_checkpoint && keeps_bytes_) begin_generation();  // another rank may have saved it
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
  if (!keeps_bytes_ || has_stopped()) return false;
  const std::uint32_t generation = generation_.load(std::memory_order_relaxed);
  if (!claims_.claim(short_name(hash.bytes), generation)) return true;
  const bool is_kept = queue_.put_blob(hash, piece);
  if (!is_kept) stop(queue_.error());
  return is_kept;
}

bool PayloadKeeper::has_stopped() {
  if (claims_.have_all_stopped()) stop(0);
  return has_stopped_.load(std::memory_order_relaxed);
}

void PayloadKeeper::stop(int error) {
  if (has_stopped_.exchange(true)) return;
  claims_.stop_all();
  lockstep_payload_stopped stopped{};
  stopped.step = step_.load(std::memory_order_relaxed);
  stopped.error = error;
  queue_.put(LOCKSTEP_PAYLOAD_STOPPED, &stopped, sizeof stopped, nullptr, 0);
}

// Equal on all ranks for the same step, so that they agree on what is too old. Generation 0 is how the job
// began: groups, first broadcasts, and what frameworks settle in their second step.
std::uint32_t PayloadKeeper::generation_of(std::uint64_t step) const {
  if (step < kFirstSteps || (window_.steps == 0 && !window_.since_checkpoint)) return 0;
  if (window_.since_checkpoint) return 1 + claims_.checkpoints();
  const std::uint64_t stride = (window_.steps + kPartsOfAWindow - 1) / kPartsOfAWindow;
  return static_cast<std::uint32_t>(1 + (step - kFirstSteps) / stride);
}

// A call that is under way when a generation begins has its result in the new one: the generation before the
// oldest that is needed is kept too.
void PayloadKeeper::begin_generation() {
  const std::uint64_t step = step_.load(std::memory_order_relaxed);
  const std::uint32_t next = generation_of(step);
  std::uint32_t known = generation_.load(std::memory_order_relaxed);
  if (next <= known || has_stopped_.load(std::memory_order_relaxed)) return;
  if (!generation_.compare_exchange_strong(known, next, std::memory_order_relaxed)) return;
  const std::uint32_t oldest =
      window_.since_checkpoint ? next : generation_of(step > window_.steps ? step - window_.steps : 0);
  if (!queue_.begin_part(next, step, oldest > 0 ? oldest - 1 : 0)) return stop(queue_.error());
  names_.store(0);  // each part has its own
}

void PayloadKeeper::begin_step(std::uint64_t ended_before) {
  if (step_.load(std::memory_order_relaxed) < ended_before) {
    step_.store(ended_before, std::memory_order_relaxed);
  }
  is_in_step_.store(true, std::memory_order_relaxed);
}

void PayloadKeeper::keep_entropy(const lockstep_payload_entropy& head, const void* data) {
  const lockstep_piece tail{data, head.bytes};
  queue_.put(LOCKSTEP_PAYLOAD_ENTROPY, &head, sizeof head, &tail, 1);
}

void PayloadKeeper::note_checkpoint(const char* path, std::size_t bytes) {
  lockstep_payload_checkpoint checkpoint{};
  checkpoint.step = step_.load(std::memory_order_relaxed);
  checkpoint.path_bytes = bytes;
  const lockstep_piece tail{path, bytes};
  if (keeps_bytes_ && window_.since_checkpoint) {
    claims_.note_checkpoint(checkpoint.step);
    begin_generation();
  }
  queue_.put(LOCKSTEP_PAYLOAD_CHECKPOINT, &checkpoint, sizeof checkpoint, &tail, 1);
}

// Large state is summed as often as that takes a hundredth of the time; a replay sums it at every step.
bool PayloadKeeper::is_worth_a_sum(const lockstep_piece* pieces, std::size_t count) const {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) bytes += pieces[i].bytes;
  return !keeps_bytes_ || bytes <= kSmallState ||
         monotonic_now_ns() >= next_sums_ns_.load(std::memory_order_relaxed);
}

void PayloadKeeper::keep_state(std::uint64_t step, const char* names, std::size_t names_bytes,
                               const lockstep_piece* pieces, std::size_t count) {
  if (!is_worth_a_sum(pieces, count)) count = 0;
  const std::size_t rest = count > kMostStates ? count - kMostStates + 1 : 1;
  const std::size_t sum_count = count == 0 ? 0 : count - rest + 1;
  std::uint64_t sums[kMostStates];
  const std::uint64_t begin_ns = clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
  for (std::size_t i = 0; i < sum_count; ++i) sums[i] = checksum(&pieces[i], i + 1 == sum_count ? rest : 1);
  if (sum_count != 0) {
    next_sums_ns_.store(monotonic_now_ns() + 100 * (clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns),
                        std::memory_order_relaxed);
  }
  keep_state_sums(step, {names, names_bytes}, sums, sum_count);
  end_step(step);
}

void PayloadKeeper::keep_state_sums(std::uint64_t step, const lockstep_piece& names,
                                    const std::uint64_t* sums, std::size_t count) {
  lockstep_payload_state state{};
  state.step = step;
  state.names = count == 0 ? 0 : checksum(&names, 1);
  state.count = count;
  if (state.names != 0 && names_.exchange(state.names) != state.names) {
    const lockstep_payload_state_names fixed{state.names, names.bytes};
    queue_.put(LOCKSTEP_PAYLOAD_STATE_NAMES, &fixed, sizeof fixed, &names, 1);
  }
  const lockstep_piece tail{sums, count * sizeof *sums};
  queue_.put(LOCKSTEP_PAYLOAD_STATE, &state, sizeof state, &tail, 1);
}

void PayloadKeeper::end_step(std::uint64_t step) {
  step_.store(step, std::memory_order_relaxed);
  is_in_step_.store(false, std::memory_order_relaxed);
  if (keeps_bytes_) begin_generation();
}

}  // namespace lockstep::recorder
