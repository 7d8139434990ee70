#include "diagnose/ranks/correctness/divergence_finding.h"

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/figures.h"

namespace lockstep::ranks {
namespace {

model::Evidence result_at(const model::Job& job, EventPlace place) {
  model::Evidence evidence = evidence_of(job, place);
  const auto checksums = static_cast<std::size_t>(event_at(job, place).checksums);
  evidence.text += fmt::format("; checksum of the result {:016x}", job.checksums.at(checksums).output);
  return evidence;
}

std::string in_step(const Divergence& divergence) {
  return divergence.step ? fmt::format(" in step {}", with_commas(*divergence.step)) : "";
}

std::string title_of(const model::Job& job, const Divergence& divergence) {
  const model::Event& event = event_at(job, divergence.odd);
  const std::string where =
      fmt::format("{} {} of {}{}", model::name_of(job.collectives[event.collective].operation),
                  with_commas(divergence.meeting.sequence), describe(job, divergence.meeting.communicator),
                  in_step(divergence));
  if (divergence.is_tie) {
    return fmt::format("{} left {} with different results, and no majority", where,
                       ranks_in_words(divergence.agreeing_ranks));
  }
  return fmt::format("{} left {} with another result than the other {} ranks", where,
                     ranks_in_words(divergence.odd_ranks), with_commas(divergence.agreeing_ranks.size()));
}

}  // namespace

model::Finding finding_of(const model::Job& job, const Divergence& divergence) {
  model::Finding finding{.leaf = model::Leaf::kPerfResult,
                         .code = "divergence.outputs_differ",
                         .scope = model::Scope::kDistributed,
                         .confidence = divergence.is_tie ? 0.85 : 0.95,
                         .root_ranks = divergence.odd_ranks,
                         .victim_ranks = divergence.agreeing_ranks,
                         .title = title_of(job, divergence),
                         .explanation = {},
                         .evidence = {result_at(job, divergence.odd), result_at(job, divergence.usual)},
                         .fixes = catalogue::fixes_for("divergence.outputs_differ")};
  finding.explanation = fmt::format(
      "This collective must leave the same bytes on all its members. It is the first that did not; {} did "
      "not "
      "in all. {}",
      with_commas(divergence.meetings),
      divergence.is_tie ? "As many members have one result as the other, so which is right cannot be told."
                        : "From here on the ranks train different models.");
  return finding;
}

}  // namespace lockstep::ranks
