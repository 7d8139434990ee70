#include "diagnose/ranks/timing/message_pairs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "diagnose/ranks/timing/waiting_calls.h"

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

}  // namespace lockstep::ranks
