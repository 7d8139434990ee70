#include "diagnose/ranks/mismatch/uneven_exchange.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "model/finding_code.h"

namespace lockstep::ranks {
namespace {

using model::CollectiveId;
using model::CommunicatorId;
using model::Event;
using model::Finding;
using model::Job;
using model::Leaf;
using model::Operation;

std::optional<UnevenExchange> uneven_exchange_in(const Job& job, const Meeting& meeting,
                                                 std::size_t members) {
  if (members == 0 || meeting.arrivals.size() != members) return std::nullopt;
  UnevenExchange exchange{.communicator = meeting.communicator,
                          .sequence = meeting.sequence,
                          .ranks = {},
                          .first = meeting.arrivals.front()};
  for (const EventPlace place : meeting.arrivals) {
    const Event& event = event_at(job, place);
    if (event.collective == CollectiveId::kNone) return std::nullopt;
    const model::Collective& collective = job.collectives[event.collective];
    if (collective.operation != Operation::kAllToAll) return std::nullopt;
    const auto sent = model::element_count(collective.input_shapes);
    const auto received = model::element_count(collective.output_shapes);
    if (!sent || !received || collective.input_shapes.empty() || collective.output_shapes.empty()) {
      return std::nullopt;
    }
    exchange.elements_sent += *sent;
    exchange.elements_received += *received;
    exchange.ranks.push_back(job.ranks[place.rank].rank.number);
  }
  if (exchange.elements_sent == exchange.elements_received) return std::nullopt;
  return exchange;
}

}  // namespace

std::vector<UnevenExchange> find_uneven_exchanges(const Job& job, const Alignment& alignment) {
  std::vector<UnevenExchange> all;
  for (std::size_t at = 0; at < job.communicators.size(); ++at) {
    const auto communicator = static_cast<CommunicatorId>(at);
    for (const Meeting& meeting : alignment.meetings_of(communicator)) {
      if (auto found = uneven_exchange_in(job, meeting, job.communicators[communicator].members.size())) {
        all.push_back(*std::move(found));
        break;
      }
    }
  }
  return all;
}

Finding finding_of(const Job& job, const UnevenExchange& exchange) {
  Finding finding;
  finding.leaf = model::is_unfinished(event_at(job, exchange.first)) ? Leaf::kPerfHang : Leaf::kPerfResult;
  finding.code = model::codes::kMismatchExchange;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = confidence::kMismatchExchange;
  finding.victim_ranks = exchange.ranks;
  finding.title =
      fmt::format("all_to_all #{} in {} sends {} elements but expects {}", exchange.sequence,
                  describe(job, exchange.communicator), exchange.elements_sent, exchange.elements_received);
  finding.explanation =
      "What all members send and what all members expect must be equally much; how much each sends to each "
      "is not "
      "recorded, so the odd rank cannot be named. ";
  model::Evidence evidence = evidence_of(job, exchange.first);
  if (exchange.ranks.size() > 1)
    evidence.text = fmt::format("{}: {}", ranks_in_words(exchange.ranks), evidence.text);
  finding.evidence.push_back(std::move(evidence));
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

}  // namespace lockstep::ranks
