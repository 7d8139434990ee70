// A job that still runs on this host and has stopped printing: its logs are open, and what /proc shows of
// those who write them tells whether they wait, are stopped or still work.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/process/proc_files.h"
#include "catalogue/catalogue.h"
#include "diagnose/logs/context.h"
#include "model/finding.h"
#include "readers/read_all.h"
#include "run/evidence/activity.h"
#include "run/evidence/log_processes.h"

namespace lockstep::diagnose {

struct LogPlace {
  std::filesystem::path path;
  std::optional<int> rank;  // where all of it is one rank's
  std::uint64_t lines = 0;  // about
};

using Seconds = std::chrono::duration<double>;

enum class JobState : std::uint8_t {
  kStopped,  // at least one process, by a signal
  kWaits,    // all processes
  kAsks,     // all wait or ask again and again, as they do for moments in a healthy job
  kWorks
};

struct QuietJob {
  JobState state = JobState::kWaits;
  Seconds silence{};
  std::optional<Seconds> usual_gap;  // between two lines, before
  std::size_t last_log = 0;          // that was written last
  bool has_ranks = false;            // a launcher made the processes ranks
  std::vector<int> stopped_ranks;    // ascending, as all of these
  std::vector<int> ended_ranks;      // have logs and no process
  std::optional<int> odd_rank;       // waits otherwise than all others, which wait alike
  std::vector<int> other_ranks;
  std::vector<pid_t> processes;  // that did any work; the stopped ones first
  std::size_t stopped_processes = 0;
};

// Takes half a second where a job is found. Nothing: no log is being written, or it is not quiet for longer
// than its pace allows.
std::optional<QuietJob> find_quiet_job(std::span<const LogPlace> logs, const process::Roots& roots = {});

// Which rank each process of a running job is.
using RankByProcess = std::map<pid_t, int>;

// By the log that a process alone writes, else by the variables it was started with.
RankByProcess ranks_of(const process::Roots& roots, std::span<const LogPlace> logs,
                       std::span<const evidence::WrittenLog> written,
                       std::span<const evidence::Activity> activities);

// Of three ranks or more, one that waits in another system call than the others, who all wait alike, or who
// all ask again and again.
std::optional<int> odd_one_in(const RankByProcess& rank_of, std::span<const evidence::Activity> activities);

// `last_line` of the log that was written last. Nothing where neither the logs nor a launcher's variables
// show that this is training: any other program may be silent for as long as it likes.
std::optional<model::Finding> finding_about(const QuietJob& job, logs::Stage stage,
                                            const catalogue::Catalogue& catalogue,
                                            const model::Evidence& last_line);

// A command that shows where its processes stand.
std::string how_to_see_more(const QuietJob& job);

// Logs without a word about a fault, of a job that still runs: does it hang?

struct Hanging {
  model::Finding finding;
  std::string to_learn_more;  // a command
};

// Looks at this host's processes; half a second where one of them writes a log that has fallen silent.
std::optional<Hanging> look_whether_it_hangs(const readers::ReadResult& read, logs::Stage stage,
                                             const catalogue::Catalogue& catalogue);

}  // namespace lockstep::diagnose
