#include "diagnose/ranks/training_position.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "diagnose/ranks/describe.h"

namespace lockstep::ranks {

std::optional<StepSpan> step_span_of(const model::RankHistory& history) {
  std::optional<StepSpan> span;
  for (std::size_t at = 0; at < history.events.size(); ++at) {
    const model::Event& event = history.events[at];
    if (event.kind != model::EventKind::kActivity || event.activity != model::Activity::kStep) continue;
    if (!span) span = StepSpan{.first = at, .last = at, .count = 0};
    span->last = at;
    ++span->count;
  }
  return span;
}

namespace {

using model::Activity;
using model::Event;

bool is_numbered(const Event& event, Activity activity) {
  return event.kind == model::EventKind::kActivity && event.activity == activity && event.sequence != 0 &&
         event.sequence != model::kNoSequence;
}

}  // namespace

std::string training_position_of(const model::RankHistory& history) {
  const Event* epoch = nullptr;
  const Event* first_step = nullptr;  // of the epoch
  const Event* last_step = nullptr;
  for (const Event& event : history.events) {
    if (is_numbered(event, Activity::kEpoch)) {
      epoch = &event;
      first_step = last_step = nullptr;
    }
    if (epoch == nullptr || !is_numbered(event, Activity::kStep)) continue;
    if (first_step == nullptr) first_step = &event;
    last_step = &event;
  }
  if (epoch == nullptr) return {};
  if (last_step == nullptr || last_step->sequence < first_step->sequence) {
    return fmt::format("at the beginning of epoch {}", epoch->sequence);
  }
  const std::uint64_t batch = last_step->sequence - first_step->sequence + 1;
  const bool is_inside = last_step->end_ns == model::kNoTime;
  return fmt::format("in epoch {}, {}batch {}", epoch->sequence, is_inside ? "" : "behind ", batch);
}

std::string training_positions_in_words(const model::Job& job, const std::vector<int>& ranks) {
  std::vector<std::pair<std::string, std::vector<int>>> groups;  // in the order of their first rank
  for (const int rank : ranks) {
    const model::RankHistory* history = job.find_rank(rank);
    std::string position = history == nullptr ? std::string{} : training_position_of(*history);
    if (position.empty()) continue;
    std::size_t at = 0;
    while (at < groups.size() && groups[at].first != position) ++at;
    if (at == groups.size()) groups.emplace_back(std::move(position), std::vector<int>{});
    groups[at].second.push_back(rank);
  }
  std::string text;
  for (auto& [position, members] : groups) {
    std::ranges::sort(members);
    text += fmt::format("{}{} {} {}", text.empty() ? "" : "; ", ranks_in_words(members),
                        members.size() == 1 ? "is" : "are", position);
  }
  if (text.empty()) return text;
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + ". ";
}

}  // namespace lockstep::ranks
