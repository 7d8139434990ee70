#include "model/world_size_one.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace lockstep::model {
namespace {

struct Life {
  std::size_t part = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// Up to the last that is known of it.
std::optional<Life> life_of_lone_world(const Job& part, std::size_t place) {
  if (part.world_size != 1 || part.ranks.size() != 1 || part.ranks.front().rank.number != 0)
    return std::nullopt;
  const RankHistory& history = part.ranks.front();
  if (!history.rank.begun_ns) return std::nullopt;
  Life life{.part = place, .begin_ns = *history.rank.begun_ns, .end_ns = *history.rank.begun_ns};
  for (const Event& event : history.events)
    life.end_ns = std::max({life.end_ns, event.begin_ns, event.end_ns});
  if (history.rank.ended_ns) life.end_ns = *history.rank.ended_ns;
  return life;
}

}  // namespace

std::vector<std::size_t> world_size_one(std::span<const Job> parts) {
  std::vector<Life> lives;
  for (std::size_t place = 0; place < parts.size(); ++place) {
    if (const auto life = life_of_lone_world(parts[place], place)) lives.push_back(*life);
  }
  std::ranges::sort(lives, {}, &Life::begin_ns);
  std::vector<bool> overlaps(lives.size(), false);
  std::size_t longest = 0;  // of those before: the one that ends last
  for (std::size_t at = 1; at < lives.size(); ++at) {
    if (lives[at].begin_ns < lives[longest].end_ns) overlaps[at] = overlaps[longest] = true;
    if (lives[at].end_ns > lives[longest].end_ns) longest = at;
  }
  std::vector<std::size_t> found;
  for (std::size_t at = 0; at < lives.size(); ++at) {
    if (overlaps[at]) found.push_back(lives[at].part);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace lockstep::model
