#include "cli/replay_end.h"

#include <fmt/format.h>

#include "base/file.h"
#include "replay/compare/judge.h"
#include "report/findings_json.h"
#include "report/text.h"

namespace lockstep::cli {
namespace {

// Whoever put a debugger in front may leave it at any time; what was changed on purpose may not end early.
bool may_end_early(const ReplayRequest& request, int status, const std::optional<replay::Stop>& stop) {
  return status != 0 || stop || request.break_at || (!request.command.empty() && !request.has_changes);
}

void tell_equal(const replay::Judgement& judgement, const std::string& who, Terminal& terminal) {
  if (!judgement.agreement.empty()) terminal.tell(fmt::format("lockstep: {}{}\n", who, judgement.agreement));
  for (const std::string& limit : judgement.verdict.limits)
    terminal.tell(fmt::format("lockstep: {}{}\n", who, limit));
}

void tell_difference(const ReplayRequest& request, const model::Verdict& verdict, const std::string& who,
                     Terminal& terminal) {
  if (request.has_changes) terminal.tell(fmt::format("lockstep: {}the first thing that changes:\n", who));
  const report::TextStyle style{.colour = terminal.color_on_err(), .width = terminal.width()};
  terminal.tell("\n" + report::render_text(verdict, style));
}

}  // namespace

Result<ExitStatus> conclude_replay(const ReplaySubject& subject, const ReplayRequest& request,
                                   const ReplayEnd& end, Terminal& terminal) {
  const auto stop = replay::read_stop(end.folder);
  const record::Payload recorded =
      end.from == 0 ? subject.rank() : replay::from_step(subject.rank(), end.from);
  const replay::Judgement judgement =
      replay::judge(recorded, {.recording = subject.recording,
                               .folder = end.folder,
                               .may_end_early = may_end_early(request, end.status, stop)});
  const model::Verdict& verdict = judgement.verdict;
  TRY(base::write_file(end.folder / "findings.json", report::encode_findings(verdict)));
  if (verdict.findings.empty()) {
    tell_equal(judgement, end.who, terminal);
  } else {
    tell_difference(request, verdict, end.who, terminal);
  }
  if (request.to_step && !stop)
    terminal.tell(fmt::format("lockstep: {}the replay came to its end before that step\n", end.who));
  return end.status == 0 && !verdict.findings.empty() && !request.has_changes ? ExitStatus::kFindings
                                                                              : ExitStatus{end.status};
}

Result<ExitStatus> tell_where_it_holds(const ReplayRequest& request, int status,
                                       const std::optional<replay::Stop>& stop, Terminal& terminal) {
  if (stop && stop->why == replay::Stop::Why::kFailed) {
    return Error{"cannot ask", request.predicate, stop->error,
                 "a Python expression over 'parameters', a dictionary of tensors by name, and 'step'"};
  }
  if (stop && stop->why == replay::Stop::Why::kHolds) {
    terminal.tell(
        fmt::format("lockstep: it holds first at the end of step {}: {}\n", stop->step, request.predicate));
    return ExitStatus::kNothingFound;
  }
  terminal.tell(fmt::format("lockstep: it holds at the end of no step: {}\n", request.predicate));
  return status == 0 ? ExitStatus::kFindings : ExitStatus{status};
}

}  // namespace lockstep::cli
