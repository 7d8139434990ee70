// Ranks that wait for each other: a deadlock by its structure, however long one waits.
#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/hang/hang_story.h"

namespace lockstep::ranks {
namespace {

// "rank 0 waits in group A for rank 1"
std::string link(const HangStory& story, const Wait& wait) {
  const auto in_circle = [&](int rank) {
    return std::ranges::binary_search(story.cause.roots, rank) ||
           std::ranges::binary_search(story.cause.victims, rank);
  };
  std::vector<int> waiting;
  for (const EventPlace place : wait.waiting) {
    const int rank = story.job.ranks[place.rank].rank.number;
    if (in_circle(rank)) waiting.push_back(rank);
  }
  std::vector<int> awaited;
  std::ranges::copy_if(wait.absent, std::back_inserter(awaited), in_circle);
  const std::string who =
      fmt::format("{} {} in {}", ranks_in_words(waiting), waiting.size() == 1 ? "waits" : "wait",
                  describe(story.job, wait.communicator));
  return awaited.empty() ? who + " behind an earlier call"
                         : fmt::format("{} for {}", who, ranks_in_words(awaited));
}

// Whether the circle is between the roots and others, not among the roots alone.
bool is_against_the_rest(const HangStory& story) {
  const auto is_root = [&](EventPlace place) {
    return std::ranges::binary_search(story.cause.roots, story.job.ranks[place.rank].rank.number);
  };
  return std::ranges::any_of(story.cause.waits, [&](std::size_t at) {
    return std::ranges::none_of(story.waits[at].waiting, is_root);
  });
}

}  // namespace

void tell_circle(HangStory& story) {
  model::Finding& finding = story.finding;
  const std::vector<std::size_t>& waits = story.cause.waits;
  const bool only_messages = std::ranges::all_of(
      waits, [&](std::size_t at) { return story.waits[at].kind != WaitKind::kCollective; });
  std::set<std::string> groups;
  for (const std::size_t at : waits) groups.insert(describe(story.job, story.waits[at].communicator));

  finding.code = only_messages ? "deadlock.point_to_point" : "deadlock.order_inversion";
  finding.confidence = 0.95;
  const std::string who = ranks_in_words(story.cause.roots);
  const std::string which = fmt::format("{}", fmt::join(groups, " and "));
  if (only_messages) {
    finding.title = fmt::format("{} wait for each other's messages in a circle", who);
  } else if (is_against_the_rest(story)) {
    finding.title = fmt::format("{} {} {} in another order than the others: they wait for each other", who,
                                story.cause.roots.size() == 1 ? "uses" : "use", which);
  } else {
    finding.title = fmt::format("{} use {} in different orders and wait for each other", who, which);
  }
  constexpr std::size_t kMostLinks = 6;
  std::vector<std::string> links;
  for (std::size_t index = 0; index < std::min(waits.size(), kMostLinks); ++index) {
    links.push_back(link(story, story.waits[waits[index]]));
  }
  if (waits.size() > kMostLinks) links.push_back(fmt::format("and {} more", waits.size() - kMostLinks));
  finding.explanation =
      fmt::format("The circle: {}. None of them can go on, however long one waits. ", fmt::join(links, "; "));
  story.add_waiting_evidence();
}

}  // namespace lockstep::ranks
