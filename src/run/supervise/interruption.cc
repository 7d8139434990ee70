#include "run/supervise/interruption.h"

#include <csignal>
#include <string_view>

#include <fmt/format.h>

#include "model/finding_code.h"

namespace lockstep::supervise {
namespace {

std::string_view name_of(int signal) {
  switch (signal) {
    case SIGINT:
      return "SIGINT, as Ctrl-C sends";
    case SIGHUP:
      return "SIGHUP, as a terminal sends that closes";
    default:
      return "SIGTERM, as schedulers and time limits send";
  }
}

}  // namespace

void tell_interruption(WatchedEnd& end) {
  const process::RunEnd& run = end.job.run;
  // Of several hosts one may be ended because another failed.
  const bool was_healthy = end.findings.empty() && !end.was_quiet_when_asked && end.link == nullptr;
  if (!run.interrupted_by || run.status() == 0 || !was_healthy) return;
  const bool is_by_hand = *run.interrupted_by == SIGINT;
  model::Finding finding;
  finding.leaf = model::Leaf::kPerfOther;
  finding.code = is_by_hand ? model::codes::kSchedInterrupted : model::codes::kSchedDeathSignal;
  finding.scope = model::Scope::kUnknown;
  finding.confidence = 0.95;
  finding.title = is_by_hand ? "The job was interrupted" : "The job was told to end";
  finding.explanation = fmt::format(
      "lockstep run got {}, after {:.1f} s, and passed it on. Until then it had seen nothing wrong; what the "
      "ranks were doing when they ended is not judged.",
      name_of(*run.interrupted_by), static_cast<double>(run.ran.count()) / 1000);
  end.findings.push_back(std::move(finding));
}

}  // namespace lockstep::supervise
