#include "run/run.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/escape.h"
#include "base/file.h"
#include "base/process/environment.h"
#include "base/process/foreground.h"
#include "base/process/spawn.h"
#include "diagnose/arbitrate/arbitrate.h"
#include "diagnose/diagnose.h"
#include "model/finding_code.h"
#include "record/recording.h"
#include "report/findings_json.h"
#include "run/evidence/stacks.h"
#include "run/preparation.h"
#include "run/supervise/join_hosts.h"
#include "run/supervise/recording_folder.h"
#include "run/supervise/run_job.h"
#include "run/supervise/unrecorded.h"

namespace lockstep::run {
namespace {

namespace fs = std::filesystem;

// A longer recording of a job that ended well would keep its user waiting for more than some seconds.
constexpr std::uintmax_t kMaxBytesJudgedUnasked = std::uintmax_t{256} << 20;

const std::string kNeverCommunicated =
    "no process of the job started communicating through PyTorch, TensorFlow, Horovod, NCCL or MPI";

bool ended_badly(const supervise::WatchedEnd& end) {
  return end.job.run.status() != 0 || !end.findings.empty();
}

std::string in_words(const fs::path& recording) {
  return base::escape_for_terminal(recording.string());
}

// None when the job left nothing to judge.
Result<std::optional<model::Verdict>> judge(const fs::path& recording, const supervise::WatchedEnd& end) {
  std::optional<diagnose::Diagnosis> judged =
      TRY(diagnose::diagnose_what_was_left({recording}, end.findings));
  if (!judged) return std::optional<model::Verdict>();
  diagnose::Diagnosis& found = *judged;
  if (end.job.was_lost) {
    found.verdict.limits.push_back(
        "the process that ran the job was killed, perhaps for lack of memory, and the job was ended with it");
  } else if (!end.job.log_is_whole) {
    found.verdict.limits.push_back("the job's output could not be kept whole: is the disk full?");
  }
  if (end.job.run.left_processes) {
    found.verdict.limits.push_back("processes that outlived the job's command were ended");
  }
  for (const std::string& note : end.adapter_notes)
    found.verdict.limits.push_back("an adapter says: " + note);
  if (end.ranks_recorded == 0) {
    found.verdict.limits.push_back("no rank was recorded: " +
                                   (end.why_unrecorded.empty() ? kNeverCommunicated : end.why_unrecorded));
  }
  return std::optional(std::move(found.verdict));
}

// "4 ranks of 2 hosts (pytorch 2.13.0)"
std::string what_was_recorded(const supervise::WatchedEnd& end) {
  std::string ranks = end.ranks_recorded == 1 ? "1 rank" : fmt::format("{} ranks", end.ranks_recorded);
  const bool is_head = end.link && end.link->judges_here();
  if (is_head && end.link->other_hosts() != 0) {
    ranks += fmt::format(" of {} watchers", end.link->other_hosts() + 1);
  }
  return end.frameworks.empty() ? ranks : fmt::format("{} ({})", ranks, fmt::join(end.frameworks, ", "));
}

std::string how_it_ended(const process::RunEnd& end) {
  const double seconds = static_cast<double>(end.ran.count()) / 1000;
  if (end.ended_by_signal)
    return fmt::format("ended by signal {} after {:.1f} s", *end.ended_by_signal, seconds);
  return fmt::format("ended with status {} after {:.1f} s", end.exit_status, seconds);
}

// As short as it can be typed in this folder, in a shell.
std::string typed_from_here(const fs::path& recording) {
  std::error_code fault;
  const fs::path near = fs::proximate(recording, fault);
  const bool is_below = !fault && !near.empty() && *near.begin() != "..";
  return base::escape_for_terminal(process::typed_in_a_shell({(is_below ? near : recording).string()}));
}

// Whoever pressed Ctrl-C in a job that was not stuck knows why it ended.
bool was_stopped_by_hand(const model::Verdict& verdict) {
  return std::ranges::any_of(verdict.findings, [](const model::Finding& finding) {
    return finding.code == model::codes::kSchedInterrupted;
  });
}

void describe_stop(const model::Verdict& verdict, const fs::path& recording, const supervise::WatchedEnd& end,
                   const Output& output) {
  const double seconds = static_cast<double>(end.job.run.ran.count()) / 1000;
  output.tell(fmt::format("\nlockstep: stopped by Ctrl-C after {:.1f} s; no rank was stuck\n", seconds));
  for (const model::Finding& finding : verdict.findings) {
    if (finding.code == model::codes::kSchedInterrupted) continue;
    output.tell(fmt::format("lockstep: also seen: {} ({})\n", base::escape_for_terminal(finding.title),
                            base::escape_for_terminal(finding.code)));
  }
  const std::string folder = typed_from_here(recording);
  output.tell(fmt::format("lockstep: recording and findings.json in {}; 'lockstep diagnose {}' says more\n",
                          folder, folder));
}

Result<void> describe_verdict(const model::Verdict& verdict, const fs::path& recording,
                              const supervise::WatchedEnd& end, const std::string& by_host,
                              const Output& output) {
  TRY(base::write_file(recording / "findings.json", report::encode_findings(verdict)));
  if (was_stopped_by_hand(verdict)) {
    describe_stop(verdict, recording, end, output);
    return {};
  }
  const std::string by = by_host.empty() ? "" : fmt::format("; the verdict of {} on all hosts:", by_host);
  output.tell(fmt::format("\nlockstep: the job {}{}\n\n", how_it_ended(end.job.run), by));
  output.show_verdict(verdict);
  output.tell(fmt::format("\nlockstep: recording and findings.json in {}\n", in_words(recording)));
  return {};
}

// To this host's people, and to the watchers of the others where this one is the head.
Result<void> describe_own_verdict(const model::Verdict& verdict, const fs::path& recording,
                                  const supervise::WatchedEnd& end, const Output& output) {
  if (end.link) {
    end.link->tell(multihost::HeadVerdict{.recording = recording.string(),
                                          .findings = report::encode_findings(verdict)});
  }
  return describe_verdict(verdict, recording, end, "", output);
}

// The head has seen all hosts; what it says counts where it says something.
Result<void> conclude_badly(const fs::path& recording, supervise::WatchedEnd& end, Session& session,
                            const Output& output) {
  if (end.link && !end.link->judges_here()) {
    if (const auto by_head = session.verdict_of_head(*end.link)) {
      const auto verdict = report::decode_findings(by_head->findings, "the head's verdict");
      if (verdict.ok() && !verdict.value().findings.empty()) {
        TRY(report::keep_live_findings(recording, verdict.value().findings));
        return describe_verdict(verdict.value(), recording, end, base::escape_for_terminal(session.head()),
                                output);
      }
    }
  }
  std::optional<model::Verdict> judged = TRY(judge(recording, end));
  if (!judged) {
    output.tell(fmt::format(
        "\nlockstep: the job {}; it printed nothing to judge, and no distributed framework was found\n",
        how_it_ended(end.job.run)));
    return {};
  }
  model::Verdict& verdict = *judged;
  verdict.limits.insert(verdict.limits.end(), session.limits().begin(), session.limits().end());
  return describe_own_verdict(verdict, recording, end, output);
}

std::uintmax_t bytes_recorded(const fs::path& recording) {
  std::uintmax_t bytes = 0;
  std::error_code fault;
  for (fs::directory_iterator entry(recording, fault), none; !fault && entry != none;
       entry.increment(fault)) {
    std::error_code no_file;
    const std::uintmax_t size = entry->file_size(no_file);
    if (entry->path().extension() == ".lockstep" && !no_file) bytes += size;
  }
  return bytes;
}

// A job can end well and be wrong: a loss that is no number, results that differ, a rank that slowed the
// others.
Result<bool> describe_what_a_good_end_hides(const fs::path& recording, supervise::WatchedEnd& end,
                                            const Output& output) {
  auto judged = judge(recording, end);
  if (!judged.ok() || !judged.value()) return false;  // nothing to judge
  model::Verdict& verdict = *judged.value();
  diagnose::drop_caught_failures(verdict.findings);
  if (verdict.findings.empty()) return false;
  TRY(describe_own_verdict(verdict, recording, end, output));
  return true;
}

Result<void> conclude_well(const fs::path& recording, supervise::WatchedEnd& end, const Session& session,
                           const Output& output) {
  const bool is_judged_here = session.head().empty();
  const bool is_small = bytes_recorded(recording) <= kMaxBytesJudgedUnasked;
  if (is_judged_here && is_small && TRY(describe_what_a_good_end_hides(recording, end, output))) return {};
  if (end.link) end.link->tell(multihost::HeadVerdict{.recording = recording.string(), .findings = {}});
  std::string more;
  if (!is_judged_here) {
    more = fmt::format("; {} has those of all hosts", base::escape_for_terminal(session.head()));
  } else if (!is_small) {
    more = fmt::format("; too long to be judged unasked: lockstep diagnose {}", typed_from_here(recording));
  }
  if (end.ranks_recorded == 0) {
    output.tell(
        fmt::format("lockstep: no distributed framework found: no process of the job communicated "
                    "through PyTorch, TensorFlow, Horovod, NCCL or MPI; its output is kept in {}{}\n",
                    in_words(recording), more));
  } else {
    output.tell(fmt::format("lockstep: nothing wrong found; {} recorded in {}{}\n", what_was_recorded(end),
                            in_words(recording), more));
  }
  if (!end.why_unrecorded.empty())
    output.tell(fmt::format("lockstep: {}\n", base::escape_for_terminal(end.why_unrecorded)));
  for (const std::string& note : end.adapter_notes) {
    output.tell(fmt::format("lockstep: an adapter says: {}\n", base::escape_for_terminal(note)));
  }
  return {};
}

Result<void> conclude_run(const fs::path& recording, supervise::WatchedEnd& end, Session& session,
                          const Output& output) {
  return ended_badly(end) ? conclude_badly(recording, end, session, output)
                          : conclude_well(recording, end, session, output);
}

std::uint64_t wall_clock_ns() {
  using namespace std::chrono;
  return static_cast<std::uint64_t>(
      duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count());
}

// Which folder it is, whatever stands at its path.
struct FolderIdentity {
  dev_t device = 0;
  ino_t number = 0;

  static FolderIdentity of(const fs::path& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return {};
    return {found.st_dev, found.st_ino};
  }
  bool operator==(const FolderIdentity&) const = default;
};

// A link that the job left in its place may lead anywhere, and what is there may take for ever to read.
Result<void> check_in_place(const fs::path& recording, const FolderIdentity& made) {
  if (FolderIdentity::of(recording) == made) return {};
  return Error{"the recording is gone", recording.string(), "it was removed or replaced while the job ran",
               "choose a folder that the job leaves alone with -o DIR"};
}

Result<void> conclude(const Request& request, const fs::path& recording, supervise::WatchedEnd& end,
                      Session& session, const Output& output) {
  TRY(report::keep_live_findings(recording, end.findings));
  if (end.job.run.status() == 0) {
    TRY(record::finish_recording(recording));
  } else {
    TRY(record::note_bad_end(recording, wall_clock_ns()));
  }
  if (!request.session.is_quiet) TRY(conclude_run(recording, end, session, output));
  return {};
}

process::Command command_from(const Request& request, const fs::path& recording,
                              const supervise::Installed& parts) {
  supervise::RecorderSettings settings = request.recorder;
  settings.folder = recording;
  settings.job = recording.filename().string();
  settings.stack_signal = evidence::kStackSignal;
  return {.argv = request.command,
          .environment = supervise::with_recorder(process::own_environment(), parts, settings),
          .on_a_terminal = process::prints_on_a_terminal()};
}

// The other hosts of the job. If they cannot be found the user is told, since this one is then watched alone.
Result<std::optional<supervise::HostsRequest>> find_hosts(const Request& request, const Output& output) {
  if (request.is_alone) return std::optional<supervise::HostsRequest>();
  std::optional<multihost::HostPort> head;
  if (request.head) head = TRY(multihost::parse_host_port(*request.head));
  multihost::TokenSource token{.file = {}, .environment = process::own_environment()};
  if (request.token_file) {
    token.file = *request.token_file;
    TRY(multihost::find_token(token));
  }
  auto found = supervise::find_hosts({.command = request.command, .environment = token.environment}, head,
                                     token, request.version);
  if (!found) return std::optional<supervise::HostsRequest>();
  if (found->ok()) return std::optional(std::move(*found).value());
  const Error& error = found->error();
  if (!request.session.is_quiet)
    output.tell(fmt::format("lockstep: {}: {}; {}\n", error.what, error.why, error.hint));
  return std::optional<supervise::HostsRequest>();
}

Result<fs::path> make_folder(const Request& request, const std::optional<supervise::HostsRequest>& hosts) {
  const std::string suffix = hosts ? supervise::recording_suffix(hosts->place) : "";
  fs::path folder = TRY(
      supervise::make_recording_folder(request.out.value_or(""), suffix, request.command, request.version));
  if (!request.out && suffix.empty()) supervise::link_latest(folder);
  return folder;
}

// One line, and one for what will be missing.
void say_what_is_recorded(const fs::path& recording, const Request& request, const Preparation& preparation,
                          const Output& output) {
  std::error_code ignored;
  const bool is_latest = !request.out && fs::equivalent("lockstep-latest", recording, ignored);
  const std::string adapters =
      preparation.adapters.empty() ? "" : fmt::format(" ({})", fmt::join(preparation.adapters, "; "));
  const std::string folder = typed_from_here(recording);
  output.tell(fmt::format("lockstep: recording to {}{}; watch with 'lockstep top{}'\n", folder, adapters,
                          is_latest ? "" : " " + folder));
  for (const std::string& sentence : preparation.lost) output.tell(fmt::format("lockstep: {}\n", sentence));
}

// Ranks that each have a watcher of their own leave the preparation, and what is said of it, to the first.
Preparation prepare_first(const Request& request, const supervise::Installed& parts, const Output& output) {
  const process::Command job{.argv = request.command, .environment = process::own_environment()};
  if (is_one_of_several(job.environment)) return {};
  const auto quiet = [](std::string_view) {};
  return request.session.is_quiet ? prepare(job, parts.python, quiet)
                                  : prepare(job, parts.python, output.tell);
}

}  // namespace

Result<int> run_recorded(const Request& request, const Output& output) {
  const supervise::Installed parts = TRY(supervise::find_installed());
  TRY(process::check_program(request.command.front()));
  const std::optional<supervise::HostsRequest> hosts = TRY(find_hosts(request, output));
  const Preparation preparation = prepare_first(request, parts, output);
  if (preparation.interrupted_by) return 128 + *preparation.interrupted_by;
  const fs::path recording = TRY(make_folder(request, hosts));
  const FolderIdentity made = FolderIdentity::of(recording);
  output.before_start();
  if (!request.session.is_quiet && !is_one_of_several(process::own_environment()))
    say_what_is_recorded(recording, request, preparation, output);
  Session session(recording, request.session, output.tell);
  auto ended = supervise::run_job(command_from(request, recording, parts), recording, hosts,
                                  session.listener(), supervise::Caller::kHoldsStatus);
  if (!ended.ok()) {
    std::error_code ignored;
    fs::remove_all(recording, ignored);  // nothing ran
    return std::move(ended).error();
  }
  supervise::WatchedEnd end = std::move(ended).value();
  if (end.ranks_recorded == 0) end.why_unrecorded = supervise::why_unrecorded(request.command).value_or("");
  if (const auto in_place = check_in_place(recording, made); !in_place.ok()) {
    session.report(in_place.error());
    return end.job.run.status();
  }
  session.adopt_head_findings(end);
  supervise::forget_what_passed(end);
  supervise::add_interruption(end);
  // What cannot be kept or judged is said, and is no fault of the job.
  if (const auto concluded = conclude(request, recording, end, session, output); !concluded.ok())
    session.report(concluded.error());
  return end.job.run.status();
}

}  // namespace lockstep::run
