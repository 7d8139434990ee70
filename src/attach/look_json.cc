#include "attach/look_json.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.h"
#include "model/rank.h"

namespace lockstep::attach {
namespace {

using base::Json;
using evidence::Doing;

constexpr std::array<std::pair<Doing, std::string_view>, 5> kDoings = {
    std::pair{Doing::kGone, "gone"}, std::pair{Doing::kStopped, "stopped"}, std::pair{Doing::kWaits, "waits"},
    std::pair{Doing::kPolls, "polls"}, std::pair{Doing::kWorks, "works"}};

// More than any stack or job has; what says more is damaged or hostile.
constexpr std::size_t kMaxItems = 1 << 16;

Json to_json(const Position& position) {
  Json frames = Json::array();
  for (const model::Frame& frame : position.stack)
    frames.push_back(Json{{"function", frame.function}, {"file", frame.file}, {"line", frame.line}});
  Json loops = Json::object();
  for (const auto& [name, value] : position.loops) loops[name] = value;
  return Json{{"stack", std::move(frames)}, {"loops", std::move(loops)}};
}

Json to_json(const RankLook& rank) {
  Json json = {{"pid", rank.process.pid},
               {"start", rank.process.start_ticks},
               {"command", rank.process.command},
               {"host", rank.host}};
  if (rank.process.rank) json["rank"] = *rank.process.rank;
  for (const auto& [doing, word] : kDoings) {
    if (doing == rank.doing) json["doing"] = word;
  }
  json["state"] = rank.state == process::kGone ? std::string() : std::string(1, rank.state);
  json["waits_in"] = rank.waits_in;
  if (rank.blocked_for) json["blocked_seconds"] = rank.blocked_for->count();
  if (rank.silent_for) json["silent_seconds"] = rank.silent_for->count();
  json["swapped_bytes"] = rank.swapped_bytes;
  json["why_no_stack"] = rank.why_no_stack;
  json["rounds"] = Json::array();
  for (const Position& position : rank.rounds) json["rounds"].push_back(to_json(position));
  return json;
}

template <typename Number>
std::optional<Number> number_at(const Json& object, const char* name) {
  const Json& found = base::field_at(object, name);
  if (!found.is_number()) return std::nullopt;
  return found.get<Number>();
}

std::optional<Seconds> seconds_at(const Json& object, const char* name) {
  const auto number = number_at<double>(object, name);
  return number ? std::optional(Seconds(*number)) : std::nullopt;
}

Position position_from(const Json& json) {
  Position position;
  for (const Json& frame : base::list_at(json, "stack")) {
    if (position.stack.size() == kMaxItems) break;
    position.stack.push_back({.function = base::text_at(frame, "function"),
                              .file = base::text_at(frame, "file"),
                              .line = std::max(0, number_at<int>(frame, "line").value_or(0))});
  }
  const Json& loops = base::field_at(json, "loops");
  if (loops.is_object()) {
    for (const auto& [name, value] : loops.items()) {
      if (value.is_number_integer()) position.loops[name] = value.get<std::int64_t>();
    }
  }
  return position;
}

RankLook rank_from(const Json& json) {
  RankLook rank;
  rank.process = {.pid = number_at<pid_t>(json, "pid").value_or(0),
                  .start_ticks = number_at<std::uint64_t>(json, "start").value_or(0),
                  .rank = number_at<int>(json, "rank"),
                  .command = base::text_at(json, "command")};
  if (rank.process.rank && (*rank.process.rank < 0 || *rank.process.rank >= model::kMaxRanks))
    rank.process.rank.reset();
  rank.host = base::text_at(json, "host");
  const std::string word = base::text_at(json, "doing");
  for (const auto& [doing, known] : kDoings) {
    if (known == word) rank.doing = doing;
  }
  const std::string state = base::text_at(json, "state");
  rank.state = state.empty() ? process::kGone : state.front();
  rank.waits_in = base::text_at(json, "waits_in");
  rank.blocked_for = seconds_at(json, "blocked_seconds");
  rank.silent_for = seconds_at(json, "silent_seconds");
  rank.swapped_bytes = number_at<std::uint64_t>(json, "swapped_bytes").value_or(0);
  rank.why_no_stack = base::text_at(json, "why_no_stack");
  for (const Json& round : base::list_at(json, "rounds")) rank.rounds.push_back(position_from(round));
  return rank;
}

JobLook look_from(const Json& json) {
  JobLook look;
  look.job.key = base::text_at(json, "key");
  look.job.program = base::text_at(json, "program");
  look.job.world_size = number_at<int>(json, "world_size");
  look.job.local_size = number_at<int>(json, "local_size");
  look.job.starts_ranks_itself = base::field_at(json, "starts_ranks_itself") == Json(true);
  look.watched = seconds_at(json, "watched_seconds").value_or(Seconds(0));
  for (const Json& rank : base::list_at(json, "ranks")) {
    if (look.ranks.size() < kMaxItems) look.ranks.push_back(rank_from(rank));
  }
  for (const Json& limit : base::list_at(json, "limits")) {
    if (limit.is_string()) look.limits.push_back(limit.get<std::string>());
  }
  return look;
}

}  // namespace

std::string encode_looks(const std::vector<JobLook>& looks) {
  Json document = {{"schema", kLooksSchema}, {"jobs", Json::array()}};
  for (const JobLook& look : looks) {
    Json job = {{"key", look.job.key}, {"program", look.job.program}};
    if (look.job.world_size) job["world_size"] = *look.job.world_size;
    if (look.job.local_size) job["local_size"] = *look.job.local_size;
    job["starts_ranks_itself"] = look.job.starts_ranks_itself;
    job["watched_seconds"] = look.watched.count();
    job["ranks"] = Json::array();
    for (const RankLook& rank : look.ranks) job["ranks"].push_back(to_json(rank));
    job["limits"] = look.limits;
    document["jobs"].push_back(std::move(job));
  }
  return base::to_text(document, base::JsonLayout::kOneLine) + "\n";
}

Result<std::vector<JobLook>> decode_looks(std::string_view text, std::string_view where) {
  const Json document = TRY(base::parse_json(text, where));
  if (base::text_at(document, "schema") != kLooksSchema)
    return Error{"cannot read what was seen", std::string(where), "it is no document of lockstep attach", ""};
  std::vector<JobLook> looks;
  for (const Json& job : base::list_at(document, "jobs")) looks.push_back(look_from(job));
  return looks;
}

}  // namespace lockstep::attach
