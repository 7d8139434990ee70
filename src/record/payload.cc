#include "record/payload.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "lockstep/payload_format.h"
#include "lockstep/recorder.h"

#include "base/file.h"
#include "base/text_fields.h"

namespace lockstep::record {

namespace {

constexpr std::size_t kMaxMembers = 1 << 20;

PayloadKey key_from(std::uint64_t communicator, std::uint64_t sequence, int peer, std::uint8_t operation) {
  PayloadKey key{.communicator = communicator, .sequence = sequence};
  key.is_send = operation == LOCKSTEP_OPERATION_Send;
  key.is_receive = operation == LOCKSTEP_OPERATION_Receive;
  if (key.is_send || key.is_receive) key.peer = peer;
  return key;
}

ContentHash hash_from(const std::uint8_t (&bytes)[16]) {
  ContentHash hash;
  std::ranges::copy(bytes, hash.begin());
  return hash;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

class Decoder {
 public:
  void add(const lockstep_payload_entry& entry) {
    body_ = reinterpret_cast<const char*>(&entry + 1);
    bytes_ = entry.bytes;
    if (const auto* call = lockstep_payload_as_call(&entry)) return add_call(*call);
    if (const auto* result = lockstep_payload_as_result(&entry)) return add_result(*result);
    if (const auto* state = lockstep_payload_as_state(&entry)) return add_state(*state);
    if (const auto* blob = lockstep_payload_as_placed_blob(&entry)) return add_placed_blob(*blob);
    switch (entry.type) {
      case LOCKSTEP_PAYLOAD_BLOB:
        return add_blob();
      case LOCKSTEP_PAYLOAD_STATE_NAMES:
        return add_names();
      case LOCKSTEP_PAYLOAD_PROCESS:
        return add_process();
      case LOCKSTEP_PAYLOAD_COMMUNICATOR:
        return add_communicator();
      case LOCKSTEP_PAYLOAD_STOPPED:
        if (const auto* stopped = fixed<lockstep_payload_stopped>())
          payload.stopped = PayloadStop{stopped->step, static_cast<int>(stopped->error)};
        return;
      case LOCKSTEP_PAYLOAD_CHECKPOINT:
        return add_checkpoint();
      default:
        return;
    }
  }

  // What stands from here on is of another part, whose file of blobs is so long.
  void begin_part(const lockstep_payload_file& head, std::uint64_t blobs_bytes) {
    payload.parts.push_back({head.part, head.first_step});
    blobs_bytes_ = blobs_bytes;
  }

  Payload payload;

 private:
  template <typename Fixed>
  const Fixed* fixed() const {
    return bytes_ >= sizeof(Fixed) ? reinterpret_cast<const Fixed*>(body_) : nullptr;
  }
  // What stands behind the fixed part, from `offset` on.
  template <typename Fixed>
  std::optional<std::string_view> tail(std::uint64_t offset, std::uint64_t bytes) const {
    const std::uint64_t there = bytes_ - sizeof(Fixed);
    if (offset > there || bytes > there - offset) return std::nullopt;
    return std::string_view(body_ + sizeof(Fixed) + offset, bytes);
  }

  void add_call(const lockstep_payload_call& call) {
    PayloadCall& added = payload.calls.emplace_back();
    added.key = key_from(call.communicator, call.sequence, call.peer, call.operation);
    added.step = call.step;
    added.operation = call.operation;
    added.peer = call.peer;
    added.input_bytes = call.input_bytes;
    added.is_between_steps = (call.flags & LOCKSTEP_PAYLOAD_BETWEEN_STEPS) != 0;
    added.is_device_sum = (call.flags & LOCKSTEP_PAYLOAD_DEVICE_SUM) != 0;
    if ((call.flags & LOCKSTEP_PAYLOAD_HAS_INPUT) != 0) added.input = hash_from(call.input_hash);
  }

  void add_result(const lockstep_payload_result& result) {
    PayloadResult added;
    added.has_failed = (result.flags & LOCKSTEP_PAYLOAD_FAILED) != 0;
    added.is_kept = (result.flags & LOCKSTEP_PAYLOAD_NOT_KEPT) == 0;
    added.error.assign(lockstep_payload_error(&result), result.error_bytes);
    const lockstep_payload_output* outputs = lockstep_payload_outputs(&result);
    for (std::size_t i = 0; i < result.output_count; ++i) {
      added.outputs.push_back({hash_from(outputs[i].hash), outputs[i].bytes});
    }
    payload.results.emplace(key_from(result.communicator, result.sequence, result.peer, result.operation),
                            std::move(added));
  }

  void add_state(const lockstep_payload_state& state) {
    PayloadState& added = payload.states.emplace_back();
    added.step = state.step;
    added.names = state.names;
    added.sums.resize(state.count);
    if (state.count != 0) std::memcpy(added.sums.data(), &state + 1, state.count * sizeof added.sums[0]);
  }

  void add_blob() {
    const auto* blob = fixed<lockstep_payload_blob>();
    payload.blobs.insert(hash_from(blob->hash));
    payload.blob_bytes += blob->bytes;
  }

  void add_placed_blob(const lockstep_payload_placed_blob& blob) {
    if (blob.offset > blobs_bytes_ || blob.bytes > blobs_bytes_ - blob.offset) return;
    payload.blobs.insert(hash_from(blob.hash));
    payload.blob_bytes += blob.bytes;
  }

  void add_checkpoint() {
    const auto* checkpoint = fixed<lockstep_payload_checkpoint>();
    if (checkpoint == nullptr) return;
    const auto path = tail<lockstep_payload_checkpoint>(0, checkpoint->path_bytes);
    if (path) payload.checkpoints.push_back({checkpoint->step, std::string(*path)});
  }

  void add_names() {
    const auto* names = fixed<lockstep_payload_state_names>();
    if (names == nullptr) return;
    const auto text = tail<lockstep_payload_state_names>(0, names->bytes);
    if (text) payload.state_names[names->names] = split(*text, '\n');
  }

  void add_process() {
    const auto* process = fixed<lockstep_payload_process>();
    if (process == nullptr) return;
    std::uint64_t offset = 0;
    const auto next = [&](std::uint32_t bytes) {
      const auto text = tail<lockstep_payload_process>(offset, bytes);
      offset += bytes;
      return text.value_or(std::string_view());
    };
    PayloadProcess texts;
    texts.arguments = split(next(process->arguments_bytes), '\0');
    texts.environment = split(next(process->environment_bytes), '\0');
    texts.folder = next(process->folder_bytes);
    texts.program = next(process->program_bytes);
    payload.process = std::move(texts);
  }

  void add_communicator() {
    const auto* head = fixed<lockstep_payload_communicator>();
    if (head == nullptr || head->member_count > kMaxMembers) return;
    const std::uint64_t member_bytes = std::uint64_t{head->member_count} * sizeof(std::int32_t);
    const auto members = tail<lockstep_payload_communicator>(0, member_bytes);
    const auto name = tail<lockstep_payload_communicator>(member_bytes, head->name_bytes);
    if (!members || !name) return;
    PayloadCommunicator added{.name = std::string(*name), .members = {}};
    for (std::size_t i = 0; i < head->member_count; ++i) {
      std::int32_t member = 0;
      std::memcpy(&member, members->data() + i * sizeof member, sizeof member);
      added.members.push_back(member);
    }
    payload.communicators.emplace(head->communicator, std::move(added));
  }

  const char* body_ = nullptr;
  std::uint64_t bytes_ = 0;
  std::uint64_t blobs_bytes_ = 0;
};

}  // namespace

std::filesystem::path payload_path(const std::filesystem::path& recording, int rank, std::uint32_t restart) {
  return recording / LOCKSTEP_PAYLOAD_FOLDER / fmt::format("rank_{:05}.restart_{}.payload", rank, restart);
}

namespace {

Result<void> decode_part(const void* data, std::size_t bytes, std::uint64_t blobs_bytes,
                         const std::string& name, Decoder& decoder) {
  std::uint64_t offset = lockstep_payload_begin(data, bytes);
  if (offset == 0) return Error{"cannot read payload", name, "it is no payload file", ""};
  lockstep_payload_file head;
  std::memcpy(&head, data, sizeof head);
  decoder.payload.rank = head.rank;
  decoder.payload.world_size = head.world_size;
  decoder.payload.restart = head.restart;
  decoder.begin_part(head, blobs_bytes);
  std::uint64_t next = offset;
  while (const lockstep_payload_entry* entry = lockstep_payload_entry_at(data, bytes, offset, &next)) {
    decoder.add(*entry);
    offset = next;
  }
  decoder.payload.is_cut = decoder.payload.is_cut || offset != bytes;
  return {};
}

Result<void> read_part(const std::filesystem::path& path, Decoder& decoder) {
  const base::MappedFile file(path);
  if (!file.is_open()) {
    return Error{"cannot read payload", path.string(), file.fault().empty() ? "it is empty" : file.fault(),
                 "record the job with 'lockstep run --payload -- CMD...'"};
  }
  std::error_code fault;
  const std::uint64_t blobs = std::filesystem::file_size(
      std::filesystem::path(path).replace_extension(LOCKSTEP_PAYLOAD_BLOBS_EXTENSION), fault);
  return decode_part(file.data(), file.bytes(), fault ? 0 : blobs, path.string(), decoder);
}

// The later parts of the rank whose part 0 is at `path`, in their order.
std::vector<std::filesystem::path> later_parts(const std::filesystem::path& path) {
  std::map<std::uint64_t, std::filesystem::path> parts;
  std::error_code fault;
  const std::string start = path.stem().string() + LOCKSTEP_PAYLOAD_PART_MARK;
  for (const auto& entry : std::filesystem::directory_iterator(path.parent_path(), fault)) {
    const std::string stem = entry.path().stem().string();
    if (entry.path().extension() != LOCKSTEP_PAYLOAD_FILE_EXTENSION || !stem.starts_with(start)) continue;
    if (const auto number = base::number_in<std::uint32_t>(stem.substr(start.size())))
      parts.emplace(*number, entry.path());
  }
  std::vector<std::filesystem::path> paths;
  for (auto& [number, part] : parts) paths.push_back(std::move(part));
  return paths;
}

}  // namespace

bool is_first_payload_part(const std::filesystem::path& path) {
  return path.extension() == LOCKSTEP_PAYLOAD_FILE_EXTENSION &&
         path.filename().string().find(LOCKSTEP_PAYLOAD_PART_MARK) == std::string::npos;
}

std::uint64_t window_begin(const Payload& payload) {
  const bool is_whole = payload.parts.size() < 2 || payload.parts[1].number == 1;
  return is_whole ? 0 : payload.parts[1].first_step;
}

Result<Payload> decode_payload(const void* data, std::size_t bytes, const std::string& name) {
  Decoder decoder;
  TRY(decode_part(data, bytes, 0, name, decoder));
  return std::move(decoder.payload);
}

Result<Payload> read_payload(const std::filesystem::path& path) {
  Decoder decoder;
  TRY(read_part(path, decoder));
  for (const std::filesystem::path& part : later_parts(path)) {
    if (!read_part(part, decoder).ok()) decoder.payload.is_cut = true;
  }
  return std::move(decoder.payload);
}

namespace {

namespace fs = std::filesystem;

bool is_it(const std::uint8_t (&hash)[16], std::uint64_t bytes, const PayloadOutput& wanted) {
  return bytes == wanted.bytes && std::memcmp(hash, wanted.hash.data(), sizeof hash) == 0;
}

std::vector<std::byte> copy_of(const void* data, std::uint64_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(data);
  return {begin, begin + bytes};
}

std::optional<std::vector<std::byte>> placed_content(const fs::path& payload_file,
                                                     const lockstep_payload_placed_blob& blob) {
  const base::MappedFile file(fs::path(payload_file).replace_extension(LOCKSTEP_PAYLOAD_BLOBS_EXTENSION));
  if (!file.is_open() || blob.offset > file.bytes() || blob.bytes > file.bytes() - blob.offset)
    return std::nullopt;
  return copy_of(static_cast<const std::byte*>(file.data()) + blob.offset, blob.bytes);
}

// `entry` is whole: its checksum was looked at.
const lockstep_payload_blob* as_blob(const lockstep_payload_entry& entry) {
  if (entry.type != LOCKSTEP_PAYLOAD_BLOB || entry.bytes < sizeof(lockstep_payload_blob)) return nullptr;
  const auto* const blob = reinterpret_cast<const lockstep_payload_blob*>(&entry + 1);
  return blob->encoding == 0 && blob->bytes <= entry.bytes - sizeof *blob ? blob : nullptr;
}

std::optional<std::vector<std::byte>> content_in(const fs::path& path, const PayloadOutput& wanted) {
  const base::MappedFile file(path);
  if (!file.is_open()) return std::nullopt;
  std::uint64_t offset = lockstep_payload_begin(file.data(), file.bytes());
  while (offset != 0) {
    const lockstep_payload_entry* const entry =
        lockstep_payload_entry_at(file.data(), file.bytes(), offset, &offset);
    if (entry == nullptr) return std::nullopt;
    const lockstep_payload_blob* const blob = as_blob(*entry);
    if (blob != nullptr && is_it(blob->hash, blob->bytes, wanted)) return copy_of(blob + 1, blob->bytes);
    const auto* const placed = lockstep_payload_as_placed_blob(entry);
    if (placed != nullptr && is_it(placed->hash, placed->bytes, wanted)) return placed_content(path, *placed);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<std::byte>> read_content(const fs::path& recording, const PayloadOutput& output) {
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(recording / LOCKSTEP_PAYLOAD_FOLDER, fault)) {
    if (entry.path().extension() != LOCKSTEP_PAYLOAD_FILE_EXTENSION) continue;
    if (auto content = content_in(entry.path(), output)) return content;
  }
  return std::nullopt;
}

}  // namespace lockstep::record
