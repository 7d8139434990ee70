#include "recorded_text.h"

#include <fmt/format.h>

#include "lockstep/record_format.h"

#include "record/definitions.h"
#include "record/reader.h"

namespace lockstep::tests {
namespace {

// "nccl 0123456789abcdef/split 1" without the number.
std::string without_hash(const std::string& name) {
  constexpr std::size_t kBegin = 5;
  constexpr std::size_t kDigits = 16;
  return name.size() < kBegin + kDigits ? name
                                        : name.substr(0, kBegin) + "ID" + name.substr(kBegin + kDigits);
}

std::string flags_of(std::uint8_t flags) {
  std::string text;
  if ((flags & LOCKSTEP_CALL_CAPTURED) != 0) text += " captured";
  if ((flags & LOCKSTEP_CALL_POSTED) != 0) text += " posted";
  return text;
}

std::string text_of(const lockstep_call& call, const record::Definitions& definitions) {
  std::string text = fmt::format("#{} {}", call.sequence, lockstep_operation_word(call.operation));
  if (call.reduce_op != 0) text += fmt::format(" {}", lockstep_reduce_op_word(call.reduce_op));
  if (call.data_type != 0) text += fmt::format(" {}", lockstep_data_type_word(call.data_type));
  if (call.payload_bytes != 0) text += fmt::format(" {} bytes", call.payload_bytes);
  if (call.peer >= 0) text += fmt::format(" peer {}", call.peer);
  const auto* communicator = definitions.communicator(call.communicator);
  if (communicator != nullptr) {
    text +=
        fmt::format(" on {} ({} of {})", without_hash(std::string(definitions.string(communicator->name))),
                    communicator->rank_in_it, communicator->size);
  }
  return text + flags_of(call.flags);
}

std::string text_of(const lockstep_done& done, const record::Definitions& definitions) {
  std::string text = fmt::format("#{} {} {}", done.sequence, lockstep_operation_word(done.operation),
                                 done.status == LOCKSTEP_DONE_COMPLETED ? "completed"
                                 : done.status == LOCKSTEP_DONE_STARTED ? "started"
                                                                        : "failed");
  if (done.error != 0) text += fmt::format(": {}", definitions.string(done.error));
  return text;
}

template <typename Take>
void for_each_record(const std::string& path, Take take) {
  auto definitions = record::Definitions::read(path);
  auto reader = record::Reader::open(path);
  if (!definitions.ok() || !reader.ok()) return;
  while (const record::RecordView* view = reader.value().next()) take(*view, definitions.value());
}

}  // namespace

std::vector<std::string> calls_of(const std::string& path) {
  std::vector<std::string> lines;
  for_each_record(path, [&](const record::RecordView& view, const record::Definitions& definitions) {
    if (view.type == LOCKSTEP_RECORD_CALL) lines.push_back(text_of(*view.as<lockstep_call>(), definitions));
    if (view.type == LOCKSTEP_RECORD_DONE) lines.push_back(text_of(*view.as<lockstep_done>(), definitions));
  });
  return lines;
}

std::vector<std::string> attributes_of(const std::string& path) {
  std::vector<std::string> lines;
  for_each_record(path, [&](const record::RecordView& view, const record::Definitions& definitions) {
    if (view.type != LOCKSTEP_RECORD_ATTRIBUTE) return;
    const auto* attribute = view.as<lockstep_attribute>();
    lines.push_back(
        fmt::format("{}: {}", definitions.string(attribute->key), definitions.string(attribute->value)));
  });
  return lines;
}

}  // namespace lockstep::tests
