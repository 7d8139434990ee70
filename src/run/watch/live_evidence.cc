#include "run/watch/live_evidence.h"

#include <algorithm>
#include <iterator>

#include "model/merge.h"
#include "readers/lockstep/recording.h"
#include "readers/read_all.h"

namespace lockstep::watch {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of all ranks together
constexpr std::size_t kMostBytesOfARank = std::size_t{1} << 20;
constexpr std::size_t kMostEvents = 500'000;
constexpr std::size_t kLeastEventsOfARank = 64;
constexpr std::int64_t kQuietNs = 300'000'000;

model::Liveness liveness_of(const LiveRank& rank, std::int64_t now_ns) {
  if (rank.is_gone()) return model::Liveness::kDead;
  if (now_ns - rank.last_word_ns() < kQuietNs) return model::Liveness::kUnknown;
  const auto sample = rank.process().sample();
  if (!sample) return model::Liveness::kUnknown;
  return sample->state == 'T' || sample->state == 't' ? model::Liveness::kStopped : model::Liveness::kAlive;
}

// Of thousands of ranks the last of each are enough; what is unfinished counts however old it is.
void keep_newest(model::RankHistory& history, std::size_t most) {
  if (history.events.size() <= most) return;
  const auto newest = history.events.end() - static_cast<std::ptrdiff_t>(most);
  const auto finished = std::stable_partition(history.events.begin(), newest, model::is_unfinished);
  history.events.erase(finished, newest);
  history.begins_at_start = false;
}

// To the clock of this host.
void shift(model::RankHistory& history, std::int64_t by_ns) {
  for (model::Event& event : history.events) {
    if (event.begin_ns != model::kNoTime) event.begin_ns += by_ns;
    if (event.end_ns != model::kNoTime) event.end_ns += by_ns;
  }
}

void settle(model::RankHistory& history, std::int64_t before_ns) {
  for (model::Event& event : history.events) {
    if (model::is_unfinished(event) && event.kind != model::EventKind::kActivity &&
        event.begin_ns > before_ns) {
      event.state = model::EventState::kUntracked;
    }
  }
}

}  // namespace

model::Job evidence_of(const LiveJob& live, std::int64_t settled_ns) {
  const std::vector<const LiveRank*> ranks = live.ranks();
  const std::size_t count = std::max<std::size_t>(ranks.size(), 1);
  const std::size_t bytes = std::min(kMostBytes / count, kMostBytesOfARank);
  const std::size_t events = std::max(kMostEvents / count, kLeastEventsOfARank);
  std::vector<model::Job> parts;
  for (const LiveRank* rank : ranks) {
    model::Job part = readers::read_record_bytes(rank->path().filename().string(), rank->path(),
                                                 [&] { return rank->follower().tail(bytes); });
    for (model::RankHistory& history : part.ranks) {
      keep_newest(history, events);
      if (const std::int64_t lead_ns = rank->process().clock_lead_ns(); lead_ns != 0) shift(history, lead_ns);
      history.rank.liveness = liveness_of(*rank, live.now_ns());
      if (!rank->is_gone()) settle(history, live.now_ns() - settled_ns);
    }
    parts.push_back(std::move(part));
  }
  std::error_code ignored;
  if (const auto stacks = live.folder() / "stacks"; std::filesystem::exists(stacks, ignored)) {
    std::ranges::move(readers::read_all({stacks}).parts, std::back_inserter(parts));
  }
  return model::merge(std::move(parts));
}

}  // namespace lockstep::watch
