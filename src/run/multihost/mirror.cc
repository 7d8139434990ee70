#include "run/multihost/mirror.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "base/file.h"
#include "record/layout.h"
#include "run/watch/live_job.h"

namespace lockstep::multihost {

namespace {

constexpr std::size_t kChunkHeader = sizeof(lockstep_chunk_header);

}  // namespace

Result<RankMirror> RankMirror::open(const std::filesystem::path& path, std::size_t max_bytes) {
  record::Follower follower = TRY(record::Follower::open(path));
  auto bytes = TRY(record::open_byte_source(path));
  const std::size_t most = std::max<std::size_t>(max_bytes / follower.header().chunk_bytes, 2);
  return RankMirror(std::move(follower), std::move(bytes), most);
}

RankName RankMirror::name() const {
  return {.rank = header().rank, .restart = header().restart};
}

bool RankMirror::read(std::uint64_t offset, void* into, std::size_t size) {
  return bytes_->read(offset, {static_cast<std::byte*>(into), size}).value_or(0) == size;
}

void RankMirror::look() {
  ++looks_;
  checked_.clear();
  follower_.poll([this](const record::RecordView& record) { note(record); });
}

void RankMirror::note(const record::RecordView& record) {
  const std::uint64_t front = header().header_bytes;
  const std::uint64_t inside = (record.offset - front) % header().chunk_bytes;
  const std::uint64_t chunk = record.offset - inside;
  const auto number = place_for(chunk);
  if (!number) return;
  Place& place = places_[*number];
  const bool is_whole = record::record_at(record.data, record.length, record.length, place.sequence).shape ==
                        record::RecordShape::kWhole;
  if (!is_whole) return;  // the chunk was used again since
  place.known = std::max(place.known, static_cast<std::uint32_t>(inside + record.length));
  place.looked = looks_;
  if (!std::exchange(place.is_unsent, true)) unsent_.push_back(*number);
}

// The place of the chunk that is there now.
std::optional<std::size_t> RankMirror::place_for(std::uint64_t chunk_offset) {
  const auto known = by_source_.find(chunk_offset);
  if (known != by_source_.end() && checked_.contains(chunk_offset)) return known->second;
  lockstep_chunk_header chunk{};
  if (!read(chunk_offset, &chunk, sizeof chunk) || !record::is_valid(chunk)) return std::nullopt;
  checked_[chunk_offset] = true;
  if (known != by_source_.end() && places_[known->second].sequence == chunk.sequence) return known->second;
  const bool is_definitions = chunk.kind == LOCKSTEP_CHUNK_DEFINITIONS;
  const std::size_t number = take_place(is_definitions);
  Place& place = places_[number];
  place = {.source = chunk_offset,
           .sequence = chunk.sequence,
           .known = kChunkHeader,
           .sent = 0,
           .looked = looks_,
           .is_definitions = is_definitions,
           .was_used = place.was_used,
           .is_unsent = place.is_unsent};
  by_source_[chunk_offset] = number;
  return number;
}

// A new one as long as there may be more, then that of the chunk which grew longest ago.
std::size_t RankMirror::take_place(bool is_definitions) {
  if (is_definitions || event_places_ < max_event_places_) {
    if (!is_definitions) ++event_places_;
    places_.emplace_back();
    return places_.size() - 1;
  }
  std::size_t oldest = 0;
  std::uint64_t looked = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].is_definitions || places_[i].looked >= looked) continue;
    oldest = i;
    looked = places_[i].looked;
  }
  const Place& place = places_[oldest];
  if (place.sent < place.known) ++left_out_;
  const auto before = by_source_.find(place.source);
  if (before != by_source_.end() && before->second == oldest) by_source_.erase(before);
  return oldest;
}

std::size_t RankMirror::hand_on(std::size_t max_bytes, const Emit& emit) {
  if (!std::exchange(begun_, true)) begin(emit);
  std::size_t handed_on = 0;
  // Definitions first: then every event's are there before it.
  std::stable_partition(unsent_.begin(), unsent_.end(),
                        [this](std::size_t number) { return places_[number].is_definitions; });
  std::size_t done = 0;
  while (done < unsent_.size() && handed_on < max_bytes) {
    const std::size_t number = unsent_[done];
    Place& place = places_[number];
    handed_on += hand_on_place(place, header().header_bytes + number * header().chunk_bytes, emit);
    if (place.sent < place.known) continue;
    place.is_unsent = false;
    ++done;
  }
  unsent_.erase(unsent_.begin(), unsent_.begin() + static_cast<std::ptrdiff_t>(done));
  hand_on_counters(emit);
  return handed_on;
}

void RankMirror::begin(const Emit& emit) {
  lockstep_live_counters live{};
  const bool is_late = read(LOCKSTEP_LIVE_OFFSET, &live, sizeof live) && live.overwritten_chunks != 0;
  if (is_late) overwritten_ = 1;
  lockstep_file_header ring = header();
  ring.features |= LOCKSTEP_FEATURE_RING;
  ring.check = lockstep_words_check(&ring, offsetof(lockstep_file_header, check) / 8, 0);
  emit(RankFile{.name = name(), .header = std::string(reinterpret_cast<const char*>(&ring), sizeof ring)});
}

// The chunk's number must be the same before and after its bytes were read.
std::size_t RankMirror::hand_on_place(Place& place, std::uint64_t at, const Emit& emit) {
  const std::size_t wanted = std::min<std::size_t>(place.known - place.sent, kMaxBytesInOne);
  RecordBytes message{.name = name(),
                      .offset = at + place.sent,
                      .is_new_chunk = place.sent == 0,
                      .bytes = std::string(wanted, '\0')};
  lockstep_chunk_header chunk{};
  const bool is_read = read(place.source + place.sent, message.bytes.data(), wanted);
  const bool is_same = is_read && read(place.source, &chunk, sizeof chunk) && record::is_valid(chunk) &&
                       chunk.sequence == place.sequence;
  if (!is_same) {
    if (place.sent == 0) ++left_out_;
    place.known = place.sent;  // what comes there next is another chunk
    return 0;
  }
  if (message.is_new_chunk && place.was_used) ++overwritten_;
  place.sent += static_cast<std::uint32_t>(wanted);
  place.was_used = true;
  emit(std::move(message));
  return wanted;
}

void RankMirror::hand_on_counters(const Emit& emit) {
  lockstep_live_counters live{};
  if (!read(LOCKSTEP_LIVE_OFFSET, &live, sizeof live)) return;
  live.dropped += left_out_;
  live.overwritten_chunks = overwritten_;
  if (std::memcmp(&live, &sent_counters_, sizeof live) == 0) return;
  sent_counters_ = live;
  emit(RecordBytes{.name = name(),
                   .offset = LOCKSTEP_LIVE_OFFSET,
                   .is_new_chunk = false,
                   .bytes = std::string(reinterpret_cast<const char*>(&live), sizeof live)});
}

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kMaxBytesOfARank = std::size_t{8} << 20;  // of events in the head's copy
constexpr auto kSampleInterval = 200ms;                         // of how processes are
constexpr auto kTicksInterval = 1s;                             // when only the CPU time changed
// Half of a message each (kMaxMessageBytes).
constexpr std::size_t kMaxEvidenceBytes = std::size_t{512} << 10;
constexpr std::size_t kMaxOutputBytes = std::size_t{512} << 10;

// The end of a file that may be long, from the begin of a line.
std::string end_of(const fs::path& path, std::size_t max_bytes) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0));
  const std::size_t wanted = std::min(size, max_bytes);
  std::string text(wanted, '\0');
  file.seekg(static_cast<std::streamoff>(size - wanted));
  file.read(text.data(), static_cast<std::streamsize>(wanted));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (wanted == size) return text;
  const std::size_t line = text.find('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

}  // namespace

// Processes are asked first: what one wrote before its end is then handed on before that is told.
void HostMirror::look() {
  looked_ns_ = watch::wall_clock_ns();
  find_new_files();
  const bool samples = Clock::now() - sampled_ >= kSampleInterval;
  if (samples) sampled_ = Clock::now();
  for (auto& [name, rank] : ranks_) {
    if (samples || rank.process.has_ended()) sample(rank);
    rank.mirror.look();
  }
}

void HostMirror::find_new_files() {
  std::error_code fault;
  const fs::file_time_type changed = fs::last_write_time(recording_, fault);
  if (!fault && changed != listed_) {
    auto found = record::open_recording(recording_);
    if (!found.ok()) return;
    listed_ = changed;
    unopened_ = std::move(found.value().rank_files);
    std::erase_if(unopened_, [this](const record::RankFile& file) {
      return ranks_.contains({.rank = file.rank, .restart = file.restart});
    });
  }
  std::erase_if(unopened_, [this](const record::RankFile& file) {
    auto mirror = RankMirror::open(file.path, kMaxBytesOfARank);
    if (!mirror.ok()) return false;
    Followed followed{
        .mirror = std::move(mirror).value(), .process = {}, .now = {}, .sent = {}, .sent_at = {}};
    followed.process = watch::RankProcess(static_cast<pid_t>(followed.mirror.header().pid), file.path);
    followed.now.name = followed.mirror.name();
    ranks_.emplace(followed.mirror.name(), std::move(followed));
    return true;
  });
}

void HostMirror::sample(Followed& rank) {
  if (rank.process.has_ended()) {
    rank.now.state = watch::RemoteProcess::kEnded;
  } else if (const auto sample = rank.process.sample()) {
    rank.now.state = sample->state;
    rank.now.cpu_ticks = sample->cpu_ticks;
  }
}

void HostMirror::hand_on(std::size_t max_bytes, const RankMirror::Emit& emit) {
  std::size_t left = max_bytes;
  for (auto& [name, rank] : ranks_) {
    if (left == 0) return;
    left -= std::min(left, rank.mirror.hand_on(left, emit));
  }
  const bool is_through =
      std::ranges::all_of(ranks_, [](const auto& rank) { return rank.second.mirror.is_through(); });
  if (is_through) as_of_ns_ = looked_ns_;
}

Pulse HostMirror::pulse() {
  Pulse pulse{.sent_ns = watch::wall_clock_ns(), .as_of_ns = as_of_ns_, .clock_lead_ns = 0, .changed = {}};
  if (as_of_ns_ != looked_ns_) return pulse;  // states are told with the records that led to them
  for (auto& [name, rank] : ranks_) {
    const bool is_due = rank.now.state != rank.sent.state || Clock::now() - rank.sent_at >= kTicksInterval;
    if (rank.now == rank.sent || !is_due) continue;
    rank.sent = rank.now;
    rank.sent_at = Clock::now();
    pulse.changed.push_back(rank.now);
  }
  return pulse;
}

std::vector<EvidenceFile> HostMirror::evidence() const {
  std::vector<EvidenceFile> all;
  const auto add = [&](EvidenceKind kind, const RankName& name, const fs::path& path) {
    auto text = base::read_file(path, kMaxEvidenceBytes);
    if (text.ok()) all.push_back({.kind = kind, .name = name, .text = std::move(text).value()});
  };
  for (const auto& [name, rank] : ranks_) {
    const std::string stem = fmt::format("rank_{:05}.restart_{}", name.rank, name.restart);
    add(EvidenceKind::kPythonStacks, name, recording_ / "stacks" / (stem + ".python.txt"));
    add(EvidenceKind::kNativeStacks, name, recording_ / "stacks" / (stem + ".native.txt"));
  }
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(recording_, ignored)) {
    const std::string name = file.path().filename().string();
    if (name.starts_with("host_") && name.ends_with(".json")) add(EvidenceKind::kHostFacts, {}, file.path());
    if (name.starts_with("kernel_") && name.ends_with(".log")) add(EvidenceKind::kKernelLog, {}, file.path());
  }
  return all;
}

std::vector<Output> HostMirror::output() const {
  std::vector<Output> all;
  for (const bool is_err : {false, true}) {
    std::string text = end_of(recording_ / "output" / (is_err ? "job.err" : "job.out"), kMaxOutputBytes);
    if (!text.empty()) all.push_back({.is_err = is_err, .text = std::move(text)});
  }
  return all;
}

}  // namespace lockstep::multihost
