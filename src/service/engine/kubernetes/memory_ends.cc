#include "service/engine/kubernetes/memory_ends.h"

#include <csignal>
#include <optional>

#include "base/file.h"
#include "base/json.h"
#include "service/engine/heartbeat.h"
#include "service/job/rank_end_json.h"

namespace lockstep::service {
namespace {

constexpr std::size_t kLargestRecord = std::size_t{1} << 20;

std::optional<RankEnd> record_of(const AttemptFolder& folder, int rank) {
  const auto text = base::read_file(folder.rank_end(rank), kLargestRecord);
  if (!text.ok()) return std::nullopt;
  const auto json = base::parse_json(text.value(), "rank");
  if (!json.ok()) return std::nullopt;
  try {
    return decode_rank_end(json.value());
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

// Its wrapper went with it: the last sign of life is the last that is known.
std::optional<RankEnd> record_by_signs(const AttemptFolder& folder, int rank) {
  const auto sign = read_heartbeat(folder.sign_of_life(rank));
  if (!sign) return std::nullopt;
  return RankEnd{.rank = rank, .started_ms = sign->started_ms, .ended_ms = sign->last_ms, .signal = SIGKILL};
}

void note_memory_end(const AttemptFolder& folder, int rank) {
  auto end = record_of(folder, rank);
  if (!end) end = record_by_signs(folder, rank);
  if (!end || end->hit_memory_limit || end->signal != SIGKILL || end->was_asked) return;
  end->hit_memory_limit = true;
  static_cast<void>(base::write_file(folder.rank_end(rank),
                                     base::to_text(encode_rank_end(*end), base::JsonLayout::kOneLine))
                        .ok());
}

}  // namespace

void note_memory_ends(const AttemptFolder& folder, const std::vector<PodState>& pods) {
  for (const PodState& pod : pods) {
    if (pod.is_over() && pod.reason == "OOMKilled") note_memory_end(folder, pod.rank);
  }
}

}  // namespace lockstep::service
