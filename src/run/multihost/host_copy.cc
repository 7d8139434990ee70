#include "run/multihost/host_copy.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "lockstep/record_format.h"

#include "base/file.h"
#include "record/layout.h"
#include "record/recording.h"
#include "run/watch/rank_process.h"

namespace lockstep::multihost {
namespace {

namespace fs = std::filesystem;

// What one satellite may fill of the head's disk: more than any host has, and 30 times the copy it should
// send.
constexpr std::size_t kMaxRanks = 4096;
constexpr std::uint64_t kMaxFileBytes = std::uint64_t{256} << 20;
constexpr mode_t kMode = 0644;

Error wrong(std::string why) {
  return {"cannot keep what another host told", "", std::move(why), ""};
}

Result<void> write_at(int fd, std::string_view bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return wrong(std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  return {};
}

bool is_header_of(const RankFile& file, lockstep_file_header& header) {
  if (file.header.size() != sizeof header) return false;
  std::memcpy(&header, file.header.data(), sizeof header);
  return std::memcmp(header.magic, LOCKSTEP_FILE_MAGIC, sizeof header.magic) == 0 &&
         record::fault_in_header(header).empty() && record::is_ring(header) && file.name.rank >= 0 &&
         header.rank == file.name.rank && header.restart == file.name.restart;
}

}  // namespace

std::string in_a_file_name(std::string_view name) {
  std::string allowed;
  for (const char c : name.substr(0, 64)) {
    const bool is_allowed = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
    allowed += is_allowed ? c : '_';
  }
  return allowed.empty() ? "unnamed" : allowed;
}

HostCopy::HostCopy(fs::path recording, std::string label)
    : recording_(std::move(recording)), label_(in_a_file_name(label)) {}

fs::path HostCopy::path_of(const RankName& name) const {
  return recording_ / record::rank_file_name(name.rank, name.restart);
}

// The state of the process stands there before the record file, so whoever finds that knows it is a copy.
Result<void> HostCopy::keep(const RankFile& received) {
  lockstep_file_header header{};
  if (!is_header_of(received, header)) return wrong("the header of a record file is damaged");
  if (files_.size() == kMaxRanks) return wrong("it has too many ranks");
  const fs::path path = path_of(received.name);
  const fs::path beside = watch::remote_process_file(path);
  std::error_code ignored;
  if (fs::exists(path, ignored))
    return wrong(fmt::format("rank {} is already another host's", received.name.rank));
  File file;
  file.process = process::Descriptor(::open(beside.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kMode));
  if (!file.process.is_open()) return wrong(std::strerror(errno));
  file.state.name = received.name;
  file.state.state = watch::RemoteProcess::kUnseen;
  report_process(file);
  file.record = process::Descriptor(::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kMode));
  if (!file.record.is_open()) return wrong(std::strerror(errno));
  file.header_bytes = header.header_bytes;
  file.chunk_bytes = header.chunk_bytes;
  file.size_bytes = header.header_bytes;
  if (::ftruncate(file.record.get(), static_cast<off_t>(file.size_bytes)) != 0) {
    return wrong(std::strerror(errno));
  }
  TRY(write_at(file.record.get(), received.header, 0));
  files_.emplace(received.name, std::move(file));
  return {};
}

Result<void> HostCopy::keep(const RecordBytes& received) {
  const auto found = files_.find(received.name);
  if (found == files_.end()) return wrong("bytes of a file that was not begun");
  File& file = found->second;
  const bool is_counters =
      received.offset == LOCKSTEP_LIVE_OFFSET && received.bytes.size() == sizeof(lockstep_live_counters);
  if (is_counters) return write_at(file.record.get(), received.bytes, received.offset);
  if (received.offset < file.header_bytes || received.offset > kMaxFileBytes)
    return wrong("bytes outside of chunks");
  const std::uint64_t inside = (received.offset - file.header_bytes) % file.chunk_bytes;
  const std::uint64_t chunk = received.offset - inside;
  if (inside + received.bytes.size() > file.chunk_bytes || (received.is_new_chunk && inside != 0)) {
    return wrong("bytes over the end of a chunk");
  }
  if (received.is_new_chunk && chunk < file.size_bytes) TRY(clear_chunk(file, chunk));
  if (chunk + file.chunk_bytes > file.size_bytes) {
    file.size_bytes = chunk + file.chunk_bytes;
    if (::ftruncate(file.record.get(), static_cast<off_t>(file.size_bytes)) != 0) {
      return wrong(std::strerror(errno));
    }
  }
  return write_at(file.record.get(), received.bytes, received.offset);
}

Result<void> HostCopy::clear_chunk(const File& file, std::uint64_t begin) const {
  const bool is_cleared = ::fallocate(file.record.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                      static_cast<off_t>(begin), static_cast<off_t>(file.chunk_bytes)) == 0;
  if (is_cleared) return {};
  return write_at(file.record.get(), std::string(file.chunk_bytes, '\0'), begin);
}

void HostCopy::report_process(const File& file) const {
  const watch::RemoteProcess process{
      .state = file.state.state, .cpu_ticks = file.state.cpu_ticks, .clock_lead_ns = clock_lead_ns_};
  (void)write_at(file.process.get(), watch::encode(process), 0);  // a full disk shows in the record files
}

void HostCopy::keep(const Pulse& pulse) {
  constexpr std::int64_t kNoticeableNs = 1'000'000;
  const bool is_shifted = std::abs(pulse.clock_lead_ns - clock_lead_ns_) > kNoticeableNs;
  if (is_shifted) clock_lead_ns_ = pulse.clock_lead_ns;
  for (const ProcessState& state : pulse.changed) {
    const auto found = files_.find(state.name);
    if (found == files_.end()) continue;
    found->second.state = state;
    if (!is_shifted) report_process(found->second);
  }
  if (!is_shifted) return;
  for (const auto& [name, file] : files_) report_process(file);
}

Result<void> HostCopy::keep(const EvidenceFile& received) const {
  fs::path path;
  std::error_code fault;
  if (received.kind == EvidenceKind::kHostFacts) {
    path = recording_ / fmt::format("host_{}.json", label_);
  } else if (received.kind == EvidenceKind::kKernelLog) {
    path = recording_ / fmt::format("kernel_{}.log", label_);
  } else {
    if (!files_.contains(received.name)) return wrong("stacks of a rank that it does not have");
    const char* kind = received.kind == EvidenceKind::kPythonStacks ? "python" : "native";
    fs::create_directory(recording_ / "stacks", fault);
    path = recording_ / "stacks" /
           fmt::format("rank_{:05}.restart_{}.{}.txt", received.name.rank, received.name.restart, kind);
  }
  return base::write_file(path, received.text);
}

Result<void> HostCopy::keep(const Output& output) const {
  std::error_code fault;
  fs::create_directory(recording_ / "output", fault);
  return base::write_file(
      recording_ / "output" / fmt::format("job.{}.{}", label_, output.is_err ? "err" : "out"), output.text);
}

void HostCopy::lose_sight() {
  for (auto& [name, file] : files_) {
    if (file.state.state != watch::RemoteProcess::kEnded) file.state.state = watch::RemoteProcess::kUnseen;
    report_process(file);
  }
}

void HostCopy::remove() {
  std::error_code ignored;
  for (const auto& [name, file] : files_) {
    fs::remove(path_of(name), ignored);
    fs::remove(watch::remote_process_file(path_of(name)), ignored);
  }
  files_.clear();
}

std::vector<int> HostCopy::ranks() const {
  std::vector<int> ranks;
  for (const auto& [name, file] : files_) ranks.push_back(name.rank);
  return ranks;
}

}  // namespace lockstep::multihost
