#include "diagnose/ranks/timing/slow_link.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/thresholds.h"
#include "diagnose/ranks/timing/robust.h"
#include "diagnose/ranks/timing/waiting_calls.h"
#include "model/finding_code.h"

namespace lockstep::ranks {

namespace {

using model::Event;
using model::Job;

// One end of one message.
struct End {
  std::uint64_t number = 0;
  EventPlace place;
};

struct Ends {
  std::vector<End> sends;
  std::vector<End> receives;
  bool are_numbered = true;
};

// communicator, from, to, elements
using LinkKey = std::tuple<model::CommunicatorId, std::uint32_t, std::uint32_t, std::int64_t>;

class EndCollector {
 public:
  explicit EndCollector(const Job& job) : job_(job) {
    for (std::uint32_t at = 0; at < job.ranks.size(); ++at) index_of_[job.ranks[at].rank.number] = at;
    for (const model::Collective& collective : job.collectives.values()) {
      elements_.push_back(std::max(model::element_count(collective.input_shapes).value_or(0),
                                   model::element_count(collective.output_shapes).value_or(0)));
    }
  }

  void add(EventPlace place, const Event& event) {
    const model::Collective& collective = job_.collectives[event.collective];
    const std::optional<std::uint32_t> peer = peer_of(event, collective);
    if (!peer || !has_duration(event)) return;
    const bool is_send = collective.operation == model::Operation::kSend;
    const std::uint32_t from = is_send ? place.rank : *peer;
    const std::uint32_t to = is_send ? *peer : place.rank;
    Ends& ends = ends_[{event.communicator, from, to, elements_[static_cast<std::size_t>(event.collective)]}];
    std::vector<End>& side = is_send ? ends.sends : ends.receives;
    const bool is_numbered = event.sequence != model::kNoSequence;
    ends.are_numbered = ends.are_numbered && is_numbered;
    side.push_back({is_numbered ? event.sequence : side.size(), place});
  }

  std::map<LinkKey, Ends>& ends() { return ends_; }

 private:
  std::optional<std::uint32_t> peer_of(const Event& event, const model::Collective& collective) const {
    const auto group = static_cast<std::size_t>(event.communicator);
    if (!collective.peer || group >= job_.communicators.size()) return std::nullopt;
    const std::vector<int>& members = job_.communicators.values()[group].members;
    if (*collective.peer < 0 || static_cast<std::size_t>(*collective.peer) >= members.size())
      return std::nullopt;
    const auto place = index_of_.find(members[static_cast<std::size_t>(*collective.peer)]);
    if (place == index_of_.end()) return std::nullopt;
    return place->second;
  }

  const Job& job_;
  std::unordered_map<int, std::uint32_t> index_of_;
  std::vector<std::int64_t> elements_;  // by collective
  std::map<LinkKey, Ends> ends_;
};

bool lost_nothing(const model::RankHistory& history) {
  return history.begins_at_start && history.events_lost == 0;
}

void pair_ends(const Job& job, Ends& ends, MessageLink& link) {
  std::ranges::stable_sort(ends.sends, {}, &End::number);
  std::ranges::stable_sort(ends.receives, {}, &End::number);
  link.first_begin_ns = std::numeric_limits<std::int64_t>::max();
  std::size_t send = 0;
  for (const End& receive : ends.receives) {
    while (send < ends.sends.size() && ends.sends[send].number < receive.number) ++send;
    if (send == ends.sends.size()) break;
    if (ends.sends[send].number != receive.number) continue;
    const Event& sent = event_at(job, ends.sends[send].place);
    const Event& received = event_at(job, receive.place);
    link.transfers_ns.push_back(static_cast<double>(std::min(duration_of(sent), duration_of(received))));
    link.first_begin_ns = std::min(link.first_begin_ns, received.begin_ns);
    link.last_end_ns = std::max(link.last_end_ns, received.end_ns);
    link.last_receive = receive.place;
  }
}

}  // namespace

std::vector<MessageLink> message_links(const Job& job) {
  const bool has_messages = std::ranges::any_of(
      job.collectives.values(),
      [](const model::Collective& collective) { return collective.operation == model::Operation::kReceive; });
  if (!has_messages) return {};
  EndCollector collector(job);
  for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank) {
    const std::vector<Event>& events = job.ranks[rank].events;
    for (std::uint32_t at = 0; at < events.size(); ++at) {
      const Event& event = events[at];
      if (event.kind != model::EventKind::kPointToPoint) continue;
      if (static_cast<std::size_t>(event.collective) >= job.collectives.size()) continue;
      collector.add({.rank = rank, .event = at}, event);
    }
  }
  std::vector<MessageLink> links;
  for (auto& [key, ends] : collector.ends()) {
    const auto [communicator, from, to, elements] = key;
    if (!ends.are_numbered && !(lost_nothing(job.ranks[from]) && lost_nothing(job.ranks[to]))) continue;
    MessageLink link;
    link.communicator = communicator;
    link.from = from;
    link.to = to;
    link.elements = elements;
    pair_ends(job, ends, link);
    if (!link.transfers_ns.empty()) links.push_back(std::move(link));
  }
  return links;
}

namespace {

constexpr std::size_t kMaxLinksShown = 6;

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
  std::erase_if(links, [](const SlowLink& link) { return link.lost_ns < kMinLostNs; });
  if (links.empty()) return std::nullopt;
  std::ranges::stable_sort(links, std::greater<>{}, &SlowLink::lost_ns);
  model::Finding finding{.leaf = model::Leaf::kPerfSlow,
                         .code = model::codes::kStragglerLink,
                         .scope = model::Scope::kDistributed,
                         .confidence = confidence::kSlowLink,
                         .root_ranks = {},
                         .victim_ranks = {},
                         .title = title_of(job, links),
                         .explanation = {},
                         .evidence = {},
                         .fixes = {}};
  std::set<int> ranks;
  for (const SlowLink& link : links) ranks.insert(link.ranks.begin(), link.ranks.end());
  finding.root_ranks.assign(ranks.begin(), ranks.end());
  for (std::size_t at = 0; at < std::min(kMaxLinksShown, links.size()); ++at) {
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

namespace {

using model::Job;

// Ways are alike that carry the same over equally many hosts among equally many ranks.
using Likeness = std::tuple<bool, std::size_t, std::size_t, std::int64_t>;

struct LinkWay {
  SlowLink link;  // not known yet to be slow
  double span_ns = 0;
  double quick_ns = 0;  // a quarter of the transfers is quicker
};

using Ways = std::map<Likeness, std::vector<LinkWay>>;

// Absent where the host of a rank is not known: then a way that leaves the host cannot be told from one that
// stays.
std::optional<std::size_t> count_hosts(const Job& job, const std::set<std::uint32_t>& ranks) {
  std::set<int> hosts;
  for (const std::uint32_t rank : ranks) {
    if (!job.ranks[rank].rank.host) return std::nullopt;
    hosts.insert(*job.ranks[rank].rank.host);
  }
  return hosts.size();
}

void measure(LinkWay& way, std::vector<double>& transfers_ns) {
  way.link.transfers = transfers_ns.size();
  way.link.transfer_ns = lower_median(transfers_ns);
  way.quick_ns = lower_median(std::span(transfers_ns).first((transfers_ns.size() + 1) / 2));
}

void add_pairs(const Job& job, Ways& ways) {
  for (MessageLink& message : message_links(job)) {
    const std::optional<std::size_t> hosts = count_hosts(job, {message.from, message.to});
    if (!hosts || message.transfers_ns.size() < kMinTransfers) continue;
    LinkWay way;
    way.link.ranks = {job.ranks[message.from].rank.number, job.ranks[message.to].rank.number};
    way.link.is_pair = true;
    way.link.communicator = message.communicator;
    way.link.example = message.last_receive;
    way.span_ns = static_cast<double>(message.last_end_ns - message.first_begin_ns);
    measure(way, message.transfers_ns);
    ways[{true, 2, *hosts, message.elements}].push_back(std::move(way));
  }
}

struct CollectiveTransfers {
  std::vector<double> transfers_ns;
  const Meeting* first = nullptr;
  const Meeting* last = nullptr;
};

void add_communicator(const Job& job, std::span<const Meeting> meetings, std::span<const float> transfers_ns,
                      const WaitingCalls& calls, Ways& ways) {
  std::map<model::CollectiveId, CollectiveTransfers> by_collective;
  for (std::size_t at = 0; at < meetings.size(); ++at) {
    if (transfers_ns[at] <= 0) continue;
    const model::Event& event = event_at(job, meetings[at].arrivals.front());
    if (!calls.is_synchronising(event)) continue;
    CollectiveTransfers& transfers = by_collective[event.collective];
    transfers.transfers_ns.push_back(transfers_ns[at]);
    if (transfers.first == nullptr) transfers.first = &meetings[at];
    transfers.last = &meetings[at];
  }
  for (auto& [collective, transfers] : by_collective) {
    if (transfers.transfers_ns.size() < kMinTransfers) continue;
    std::set<std::uint32_t> ranks;
    for (const EventPlace place : transfers.last->arrivals) ranks.insert(place.rank);
    const std::optional<std::size_t> hosts = count_hosts(job, ranks);
    const model::Event& first = event_at(job, transfers.first->arrivals.front());
    const model::Event& last = event_at(job, transfers.last->arrivals.front());
    if (!hosts || ranks.size() < 2 || !has_duration(first) || !has_duration(last)) continue;
    LinkWay way;
    for (const std::uint32_t rank : ranks) way.link.ranks.push_back(job.ranks[rank].rank.number);
    way.link.communicator = transfers.last->communicator;
    way.link.example = transfers.last->arrivals.front();
    way.span_ns = static_cast<double>(last.end_ns - first.begin_ns);
    measure(way, transfers.transfers_ns);
    ways[{false, ranks.size(), *hosts, static_cast<std::int64_t>(collective)}].push_back(std::move(way));
  }
}

void judge(std::vector<LinkWay>& alike, std::vector<SlowLink>& slow) {
  if (alike.size() <= kMinLinksAlike) return;
  std::vector<double> transfers_ns;
  for (const LinkWay& way : alike) transfers_ns.push_back(way.link.transfer_ns);
  const double usual_ns = lower_median(transfers_ns);
  for (LinkWay& way : alike) {
    way.link.usual_ns = usual_ns;
    way.link.compared = alike.size() - 1;
    way.link.lost_ns = (way.link.transfer_ns - usual_ns) * static_cast<double>(way.link.transfers);
    way.link.lost_share = way.span_ns > 0 ? way.link.lost_ns / way.span_ns : 0;
    const bool is_slow =
        usual_ns > 0 && way.quick_ns >= kMinTimesSlower * usual_ns && way.link.lost_share >= kMinLostShare;
    if (is_slow) slow.push_back(way.link);
  }
}

}  // namespace

std::vector<SlowLink> find_slow_links(const Job& job, const Alignment& alignment, const Timings& timings) {
  const WaitingCalls calls(job);
  Ways ways;
  add_pairs(job, ways);
  std::size_t first = 0;
  for (std::size_t group = 0; group < job.communicators.size(); ++group) {
    const auto meetings = alignment.meetings_of(static_cast<model::CommunicatorId>(group));
    const auto transfers = std::span(timings.transfers_ns).subspan(first, meetings.size());
    first += meetings.size();
    if (meetings.size() >= kMinTransfers) add_communicator(job, meetings, transfers, calls, ways);
  }
  std::vector<SlowLink> slow;
  for (auto& entry : ways) judge(entry.second, slow);
  // A way that is slow for several collectives is told once, by what costs most.
  std::ranges::sort(slow, {}, [](const SlowLink& link) {
    return std::tuple(!link.is_pair, link.ranks, -link.lost_ns, link.transfers);
  });
  const auto repeats = std::unique(slow.begin(), slow.end(), [](const SlowLink& a, const SlowLink& b) {
    return a.is_pair == b.is_pair && a.ranks == b.ranks;
  });
  slow.erase(repeats, slow.end());
  return slow;
}

}  // namespace lockstep::ranks
