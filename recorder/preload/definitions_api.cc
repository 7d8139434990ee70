// The part of recorder.h that defines what repeats.
#include <string.h>

#include "lockstep/recorder.h"

#include "facts.h"
#include "recorder/core/rank_runs.h"
#include "visit.h"

namespace lockstep::recorder {
namespace {

constexpr std::uint32_t kMostRuns = 680;                        // as many as a definition has room for
constexpr std::size_t kMostShapeBytes = std::size_t{8} * 1024;  // of all tensors of a call together

std::uint32_t intern_text(Visit& visit, const char* text) {
  if (text == nullptr || *text == '\0') return 0;
  return visit->writer().intern_string(text, ::strlen(text));
}

// Appends one tensor to the packed shapes; false when there is no room.
bool pack(const lockstep_tensor_facts& tensor, char* shapes, std::size_t& used) {
  if (tensor.dimension_count > 255) return false;
  const std::size_t bytes = sizeof(lockstep_tensor) + 8 * std::size_t{tensor.dimension_count};
  if (used + bytes > kMostShapeBytes) return false;
  lockstep_tensor packed{};
  packed.data_type = static_cast<std::uint8_t>(tensor.data_type);
  packed.dimension_count = static_cast<std::uint8_t>(tensor.dimension_count);
  ::memcpy(shapes + used, &packed, sizeof packed);
  ::memcpy(shapes + used + sizeof packed, tensor.dimensions, 8 * std::size_t{tensor.dimension_count});
  used += bytes;
  return true;
}

}  // namespace
}  // namespace lockstep::recorder

using lockstep::recorder::Visit;

std::uint32_t lockstep_intern_string(const char* text, std::size_t bytes) {
  Visit visit;
  return visit && text != nullptr && bytes != 0 ? visit->writer().intern_string(text, bytes) : 0;
}

std::uint32_t lockstep_define_communicator(const lockstep_communicator_facts* given) {
  using namespace lockstep::recorder;
  Visit visit;
  if (!visit) return 0;
  const auto facts = known_part(given);
  lockstep_communicator communicator{};
  communicator.name = intern_text(visit, facts.name);
  communicator.description = intern_text(visit, facts.description);
  communicator.backend = intern_text(visit, facts.backend);
  communicator.size = facts.member_count;
  communicator.rank_in_it = facts.rank_in_it;
  lockstep_rank_run runs[kMostRuns];
  if (facts.members != nullptr) {
    communicator.run_count = rank_runs(facts.members, facts.member_count, runs, kMostRuns);
  }
  const std::uint32_t id = visit->writer().intern_communicator(communicator, runs);
  visit->payload().define_communicator(id, facts);
  return id;
}

std::uint32_t lockstep_intern_tensors(const lockstep_tensor_facts* tensors, std::uint16_t input_count,
                                      std::uint16_t output_count) {
  using namespace lockstep::recorder;
  Visit visit;
  if (!visit || tensors == nullptr) return 0;
  alignas(8) char shapes[kMostShapeBytes];
  std::size_t used = 0;
  for (std::uint32_t i = 0; i < std::uint32_t{input_count} + output_count; ++i) {
    if (!pack(tensors[i], shapes, used)) return 0;
  }
  lockstep_tensors record{};
  record.input_count = input_count;
  record.output_count = output_count;
  return visit->writer().intern_tensors(record, shapes, used);
}

int lockstep_wants_stack(void) {
  using namespace lockstep::recorder;
  constexpr std::uint32_t kFirst = 64;
  const std::uint32_t interval = Session::settings().stack_interval;
  if (interval == 0 || Session::recording() == nullptr) return 0;
  const std::uint32_t question = thread_state.stack_questions++;
  return question < kFirst || question % interval == 0 ? 1 : 0;
}

std::uint32_t lockstep_intern_stack(const lockstep_frame_facts* frames, std::uint32_t frame_count) {
  using namespace lockstep::recorder;
  constexpr std::uint32_t kMostFrames = 256;
  Visit visit;
  if (!visit || frames == nullptr || frame_count == 0) return 0;
  lockstep_frame packed[kMostFrames];
  lockstep_stack stack{};
  stack.frame_count = frame_count < kMostFrames ? frame_count : kMostFrames;
  for (std::uint32_t i = 0; i < stack.frame_count; ++i) {
    packed[i] = {frames[i].function, frames[i].file, frames[i].line, 0};
  }
  return visit->writer().intern_stack(stack, packed);
}

void lockstep_set_attribute(const char* key, std::size_t key_bytes, const char* value,
                            std::size_t value_bytes) {
  Visit visit;
  if (!visit || key == nullptr || value == nullptr) return;
  lockstep::recorder::Writer& writer = visit->writer();
  writer.write_attribute(writer.intern_string(key, key_bytes), writer.intern_string(value, value_bytes));
}
