#include "diagnose/ranks/performance.h"

#include "diagnose/ranks/correctness/divergence_finding.h"
#include "diagnose/ranks/correctness/lone_steps.h"
#include "diagnose/ranks/correctness/model_drift.h"
#include "diagnose/ranks/correctness/same_inputs.h"
#include "diagnose/ranks/timing/communication_time_finding.h"
#include "diagnose/ranks/timing/growing_work.h"
#include "diagnose/ranks/timing/slow_link_finding.h"
#include "diagnose/ranks/timing/straggler_finding.h"
#include "diagnose/ranks/timing/timings.h"

namespace lockstep::ranks {

std::vector<model::Finding> find_performance_faults(const model::Job& job, const Alignment& alignment) {
  const Timings timings = measure_timings(job, alignment);
  const Stragglers stragglers = find_stragglers(job, timings);
  std::vector<model::Finding> findings = findings_of(job, alignment, stragglers);
  if (auto slow = finding_of(job, find_slow_links(job, alignment, timings))) {
    findings.push_back(*std::move(slow));
  }
  const CommunicationTime time = measure_communication_time(job, alignment, timings);
  if (auto exposed = finding_of(job, time, stragglers)) findings.push_back(*std::move(exposed));
  if (auto growing = find_growing_work(job, timings)) findings.push_back(*std::move(growing));
  if (const auto divergence = find_divergence(job, alignment)) {
    findings.push_back(finding_of(job, *divergence));
  }
  if (auto same = find_same_inputs(job, alignment)) findings.push_back(*std::move(same));
  if (auto drift = find_model_drift(job)) findings.push_back(*std::move(drift));
  if (auto lone = find_lone_steps(job)) findings.push_back(*std::move(lone));
  return findings;
}

}  // namespace lockstep::ranks
