#include "service/job/rank_end_json.h"

namespace lockstep::service {

using base::Json;

Json encode_rank_end(const RankEnd& end) {
  Json json = {{"rank", end.rank},
               {"pid", end.pid},
               {"started_ms", end.started_ms},
               {"ended_ms", end.ended_ms},
               {"was_asked", end.was_asked},
               {"last_lines", end.last_lines}};
  if (end.exit_status) json["exit_status"] = *end.exit_status;
  if (end.signal) json["signal"] = *end.signal;
  if (end.hit_memory_limit) json["hit_memory_limit"] = true;
  return json;
}

RankEnd decode_rank_end(const Json& json) {
  RankEnd end;
  end.rank = json.at("rank").get<int>();
  end.pid = json.at("pid").get<std::int64_t>();
  end.started_ms = json.at("started_ms").get<std::int64_t>();
  end.ended_ms = json.at("ended_ms").get<std::int64_t>();
  end.was_asked = json.at("was_asked").get<bool>();
  end.last_lines = json.at("last_lines").get<std::vector<std::string>>();
  if (json.contains("exit_status")) end.exit_status = json.at("exit_status").get<int>();
  if (json.contains("signal")) end.signal = json.at("signal").get<int>();
  end.hit_memory_limit = json.value("hit_memory_limit", false);
  return end;
}

}  // namespace lockstep::service
