#include "run/watch/rank_process.h"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/process/proc_files.h"

namespace lockstep::watch {

namespace {

template <typename Number>
bool read_number(std::string_view digits, Number& number) {
  const std::size_t begin = digits.find_first_not_of(' ');
  if (begin == std::string_view::npos) return false;
  const char* end = digits.data() + digits.size();
  return std::from_chars(digits.data() + begin, end, number).ptr == end;
}

}  // namespace

std::filesystem::path remote_process_file(const std::filesystem::path& record_file) {
  return record_file.parent_path() / ("." + record_file.stem().string() + ".process");
}

std::string encode(const RemoteProcess& process) {
  return fmt::format("{} {:20} {:20}\n", process.state, process.cpu_ticks, process.clock_lead_ns);
}

std::optional<RemoteProcess> decode_remote_process(std::string_view line) {
  if (line.size() != kRemoteProcessBytes) return std::nullopt;
  RemoteProcess process;
  process.state = line.front();
  if (!read_number(line.substr(2, 20), process.cpu_ticks)) return std::nullopt;
  if (!read_number(line.substr(23, 20), process.clock_lead_ns)) return std::nullopt;
  return process;
}

namespace {

// A line of /proc/PID/maps: addresses, access, offset, device, inode, path.
bool has_mapped(pid_t pid, const std::filesystem::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return false;
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  std::string line;
  while (std::getline(maps, line)) {
    std::istringstream words(line);
    std::string addresses, access, offset, device;
    std::uint64_t inode = 0;
    words >> addresses >> access >> offset >> device >> inode;
    if (inode == status.st_ino) return true;
  }
  return false;
}

}  // namespace

RankProcess::RankProcess(pid_t pid, const std::filesystem::path& record_file)
    : pid_(pid), remote_file_(::open(remote_process_file(record_file).c_str(), O_RDONLY | O_CLOEXEC)) {
  if (remote_file_.is_open()) {
    look();
    return;
  }
  process::Descriptor descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  is_absent_ = !descriptor.is_open() && errno == ESRCH;
  if (descriptor.is_open() && has_mapped(pid, record_file)) descriptor_ = std::move(descriptor);
}

void RankProcess::look() {
  if (!remote_file_.is_open()) return;
  char line[kRemoteProcessBytes];
  const ssize_t count = ::pread(remote_file_.get(), line, sizeof line, 0);
  if (count <= 0) return;
  remote_ = decode_remote_process({line, static_cast<std::size_t>(count)}).value_or(remote_);
}

bool RankProcess::has_ended() const {
  if (remote_file_.is_open()) return remote_.state == RemoteProcess::kEnded;
  pollfd ended{.fd = descriptor_.get(), .events = POLLIN, .revents = 0};
  return is_here() && ::poll(&ended, 1, 0) == 1;
}

std::optional<ProcessSample> RankProcess::sample() const {
  if (remote_file_.is_open() && remote_.state != RemoteProcess::kUnseen && !has_ended()) {
    return ProcessSample{.state = remote_.state, .cpu_ticks = remote_.cpu_ticks};
  }
  if (!is_here() || has_ended()) return std::nullopt;
  const auto stat = process::parse_stat(process::text_of(fmt::format("/proc/{}/stat", pid_)));
  if (!stat) return std::nullopt;
  return ProcessSample{.state = stat->state, .cpu_ticks = stat->user_ticks + stat->system_ticks};
}

}  // namespace lockstep::watch
