#include "cli/run_conclusion.h"

#include <string>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/escape.h"
#include "base/file.h"
#include "cli/terminal.h"
#include "diagnose/arbitrate/job_end.h"
#include "diagnose/diagnose.h"
#include "report/findings_json.h"
#include "report/live_findings.h"
#include "report/text.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

bool ended_badly(const supervise::WatchedEnd& end) {
  return end.job.run.status() != 0 || !end.findings.empty();
}

Result<model::Verdict> judge(const fs::path& recording, const supervise::WatchedEnd& end) {
  diagnose::Diagnosis found = TRY(diagnose::diagnose_watched({recording}, end.findings));
  if (!end.job.log_is_whole) {
    found.verdict.limits.push_back("the job's output could not be kept whole: is the disk full?");
  }
  if (end.job.run.left_processes) {
    found.verdict.limits.push_back("processes that outlived the job's command were ended");
  }
  for (const std::string& note : end.adapter_notes)
    found.verdict.limits.push_back("an adapter says: " + note);
  if (end.ranks_recorded == 0) {
    found.verdict.limits.push_back(
        "no rank was recorded: nothing of the job began to communicate by PyTorch, TensorFlow, Horovod, NCCL "
        "or MPI");
  }
  return std::move(found.verdict);
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

Result<void> tell_verdict(const model::Verdict& verdict, const fs::path& recording,
                          const supervise::WatchedEnd& end, const std::string& by_host, Terminal& terminal) {
  TRY(base::write_file(recording / "findings.json", report::encode_findings(verdict)));
  const std::string by = by_host.empty() ? "" : fmt::format("; the verdict of {} on all hosts:", by_host);
  terminal.tell(fmt::format("\nlockstep: the job {}{}\n\n", how_it_ended(end.job.run), by));
  const report::TextStyle style{.colour = terminal.color_on_err(), .width = terminal.width()};
  terminal.tell(report::render_text(verdict, style));
  terminal.tell(fmt::format("\nlockstep: recording and findings.json in {}\n", recording.string()));
  return {};
}

// To this host's people, and to the watchers of the others where this one is the head.
Result<void> tell_own_verdict(const model::Verdict& verdict, const fs::path& recording,
                              const supervise::WatchedEnd& end, Terminal& terminal) {
  if (end.link) {
    end.link->tell(multihost::HeadVerdict{.recording = recording.string(),
                                          .findings = report::encode_findings(verdict)});
  }
  return tell_verdict(verdict, recording, end, "", terminal);
}

// The head has seen all hosts; what it says counts where it says something.
Result<void> conclude_badly(const fs::path& recording, supervise::WatchedEnd& end, RunSession& session,
                            Terminal& terminal) {
  if (end.link && !end.link->judges_here()) {
    if (const auto by_head = session.verdict_of_head(*end.link)) {
      const auto verdict = report::decode_findings(by_head->findings, "the head's verdict");
      if (verdict.ok() && !verdict.value().findings.empty()) {
        TRY(report::keep_live_findings(recording, verdict.value().findings));
        return tell_verdict(verdict.value(), recording, end, base::escape_for_terminal(session.head()),
                            terminal);
      }
    }
  }
  model::Verdict verdict = TRY(judge(recording, end));
  verdict.limits.insert(verdict.limits.end(), session.limits().begin(), session.limits().end());
  return tell_own_verdict(verdict, recording, end, terminal);
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
Result<bool> tell_what_a_good_end_hides(const fs::path& recording, supervise::WatchedEnd& end,
                                        Terminal& terminal) {
  auto verdict = judge(recording, end);
  if (!verdict.ok()) return false;  // nothing to judge
  diagnose::drop_what_they_got_over(verdict.value().findings);
  if (verdict.value().findings.empty()) return false;
  TRY(tell_own_verdict(verdict.value(), recording, end, terminal));
  return true;
}

Result<void> conclude_well(const fs::path& recording, supervise::WatchedEnd& end, const RunSession& session,
                           Terminal& terminal) {
  constexpr std::uintmax_t kMostJudgedUnasked = std::uintmax_t{256} << 20;
  const bool is_judged_here = session.head().empty();
  const bool is_small = bytes_recorded(recording) <= kMostJudgedUnasked;
  if (is_judged_here && is_small && TRY(tell_what_a_good_end_hides(recording, end, terminal))) return {};
  if (end.link) end.link->tell(multihost::HeadVerdict{.recording = recording.string(), .findings = {}});
  std::string more;
  if (!is_judged_here) {
    more = fmt::format("; {} has those of all hosts", base::escape_for_terminal(session.head()));
  } else if (!is_small) {
    more = fmt::format("; too long to be judged unasked: lockstep diagnose {}", recording.string());
  }
  terminal.tell(fmt::format("lockstep: nothing wrong found; {} recorded in {}{}\n", what_was_recorded(end),
                            recording.string(), more));
  for (const std::string& note : end.adapter_notes) {
    terminal.tell(fmt::format("lockstep: an adapter says: {}\n", base::escape_for_terminal(note)));
  }
  return {};
}

}  // namespace

Result<void> conclude_run(const fs::path& recording, supervise::WatchedEnd& end, RunSession& session,
                          Terminal& terminal) {
  return ended_badly(end) ? conclude_badly(recording, end, session, terminal)
                          : conclude_well(recording, end, session, terminal);
}

}  // namespace lockstep::cli
