// Files below /proc and /sys: where they are, their text, what the text of /proc/PID means, and the processes
// of this host. What is missing or damaged stays empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unordered_map>
#include <vector>

namespace lockstep::process {

// Where the kernel shows its state; a test has files of its own there.
struct Roots {
  std::filesystem::path proc = "/proc";
  std::filesystem::path sys = "/sys";
};

// The file, or an empty text when it cannot be read: processes end while they are looked at, and much of
// /proc is readable only for its owner.
std::string text_of(const std::filesystem::path& path, std::size_t limit_bytes = std::size_t{1} << 20);
// Of a file that holds one number, as counters below /sys do.
std::optional<std::uint64_t> number_in_file(const std::filesystem::path& path);

// R runs, S sleeps, D waits in the kernel and cannot be woken, T stopped by a signal, t by a debugger, Z
// ended.
inline constexpr char kGone = '\0';

struct Stat {
  char state = kGone;
  std::uint64_t parent = 0;
  std::uint64_t minor_faults = 0;  // pages it touched for the first time
  std::uint64_t user_ticks = 0;
  std::uint64_t system_ticks = 0;
  std::uint64_t start_ticks = 0;  // since the host started; with the pid it names the process for ever

  bool operator==(const Stat&) const = default;
};
std::optional<Stat> parse_stat(std::string_view text);

// A set of signals as the kernel prints it: bit n - 1 is signal n.
class SignalSet {
 public:
  SignalSet() = default;
  explicit SignalSet(std::uint64_t bits) : bits_(bits) {}
  bool has(int number) const { return number >= 1 && number <= 64 && ((bits_ >> (number - 1)) & 1) != 0; }

 private:
  std::uint64_t bits_ = 0;
};

struct Status {
  std::string name;
  char state = kGone;
  std::optional<std::uint64_t> resident_bytes;
  std::optional<std::uint64_t> peak_resident_bytes;
  std::optional<std::uint64_t> swapped_bytes;
  std::uint64_t threads = 0;
  SignalSet caught;
  SignalSet blocked;         // by this thread
  SignalSet pending;         // for this thread
  SignalSet shared_pending;  // for the process
};
Status parse_status(std::string_view text);

// The first of the two numbers behind "Max open files"; empty also when there is no limit.
std::optional<std::uint64_t> parse_soft_limit(std::string_view limits, std::string_view name);

// "VmRSS:	  1234 kB" of status and meminfo, in bytes.
std::optional<std::uint64_t> kilobytes_behind(std::string_view text, std::string_view key);

// "oom_kill 3" of vmstat and of the files of a cgroup.
std::optional<std::uint64_t> number_behind(std::string_view text, std::string_view key);

// The processes of this host and who started whom, as /proc shows them at one instant.

// The numbers of all processes, ascending.
std::vector<pid_t> all_processes(const Roots& roots);

// The number may be given to another process later; with the time of its start it names one for ever.
struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;
};

class ProcessTree {
 public:
  explicit ProcessTree(const Roots& roots);

  // Every process below `top`, parents before children, without `without` and what that started. Those that
  // have ended and wait to be reaped count too.
  std::vector<ProcessIdentity> below(pid_t top, pid_t without = 0) const;

 private:
  std::unordered_multimap<pid_t, ProcessIdentity> children_;
};

}  // namespace lockstep::process
