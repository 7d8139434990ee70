#include "diagnose/ranks/timing/slow_link_finding.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/figures.h"

namespace lockstep::ranks {
namespace {

constexpr double kLeastLostNs = 0.5e9;
constexpr std::size_t kMostShown = 6;

std::string name_of(const model::Job& job, const SlowLink& link) {
  if (link.is_pair) return fmt::format("rank {} to rank {}", link.ranks[0], link.ranks[1]);
  return fmt::format("{} ({})", describe(job, link.communicator), ranks_in_words(link.ranks));
}

std::string title_of(const model::Job& job, const std::vector<SlowLink>& links) {
  const SlowLink& worst = links.front();
  const std::string others =
      links.size() > 1 ? fmt::format(", and {} more ways are slow", links.size() - 1) : "";
  return fmt::format("data from {} is {:.1f} times as long on its way as on {} others like it{}",
                     worst.is_pair ? name_of(job, worst) : "rank to rank in " + name_of(job, worst),
                     worst.times_slower(), with_commas(worst.compared), others);
}

model::Evidence evidence_for(const model::Job& job, const SlowLink& link) {
  model::Evidence evidence = evidence_of(job, link.example);
  evidence.text +=
      fmt::format("; the last of {} transfers, {}: {} each, {} usual elsewhere", with_commas(link.transfers),
                  name_of(job, link), duration_in_words(link.transfer_ns), duration_in_words(link.usual_ns));
  evidence.level = model::EvidenceLevel::kInferred;
  return evidence;
}

}  // namespace

std::optional<model::Finding> finding_of(const model::Job& job, std::vector<SlowLink> links) {
  std::erase_if(links, [](const SlowLink& link) { return link.lost_ns < kLeastLostNs; });
  if (links.empty()) return std::nullopt;
  std::ranges::stable_sort(links, std::greater<>{}, &SlowLink::lost_ns);
  model::Finding finding{.leaf = model::Leaf::kPerfSlow,
                         .code = "straggler.link",
                         .scope = model::Scope::kDistributed,
                         .confidence = 0.5,
                         .root_ranks = {},
                         .victim_ranks = {},
                         .title = title_of(job, links),
                         .explanation = {},
                         .evidence = {},
                         .fixes = {}};
  std::set<int> ranks;
  for (const SlowLink& link : links) ranks.insert(link.ranks.begin(), link.ranks.end());
  finding.root_ranks.assign(ranks.begin(), ranks.end());
  for (std::size_t at = 0; at < std::min(kMostShown, links.size()); ++at) {
    finding.evidence.push_back(evidence_for(job, links[at]));
  }
  finding.explanation = fmt::format(
      "Who comes last to a transfer waits for nobody, so what it needs is the transfer alone: {} here, {} on "
      "the others that carry as much over as many hosts. That costs {} of the time. Links that differ by "
      "design look the same, so compare with the topology.",
      duration_in_words(links.front().transfer_ns), duration_in_words(links.front().usual_ns),
      percent(links.front().lost_share));
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

}  // namespace lockstep::ranks
