#include <cmath>

#include "base/escape.h"
#include "catalogue/symptom.h"
#include "diagnose/arbitrate/known_fixes.h"
#include "report/html/contents.h"

namespace lockstep::html {
namespace {

using base::Json;

std::string clean(const std::string& text) {
  return base::to_valid_utf8(text);
}

Json texts(const std::vector<std::string>& all) {
  Json json = Json::array();
  for (const std::string& text : all) json.push_back(clean(text));
  return json;
}

template <typename Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Ranks as [first, count, first, count ...]: ten thousand members are two numbers.
Json ranges(const std::vector<int>& ranks) {
  Json json = Json::array();
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    json.push_back(ranks[i]);
    json.push_back(end - i);
    i = end;
  }
  return json;
}

Json rank_json(const RankFacts& rank) {
  return {{"rank", rank.rank},
          {"host", clean(rank.host)},
          {"local_rank", or_null(rank.local_rank)},
          {"pid", or_null(rank.pid)},
          {"restart", rank.restart},
          {"end", rank.end},
          {"version", clean(rank.framework_version)}};
}

// Columns, since there may be a hundred thousand meetings. An all_came of -1 is never.
Json meetings_json(const std::vector<TimelineMeeting>& meetings) {
  Json groups = Json::array();
  Json sequences = Json::array();
  Json labels = Json::array();
  Json all_came = Json::array();
  for (const TimelineMeeting& meeting : meetings) {
    groups.push_back(meeting.communicator);
    sequences.push_back(meeting.sequence);
    labels.push_back(meeting.label == kNoText ? -1 : static_cast<std::int64_t>(meeting.label));
    all_came.push_back(meeting.all_came_us == kNever ? -1 : meeting.all_came_us);
  }
  return {{"group", groups}, {"sequence", sequences}, {"label", labels}, {"all_came_us", all_came}};
}

Json stop_json(const std::optional<RankStop>& stop) {
  if (!stop) return nullptr;
  return {{"at_us", stop->at_us}, {"words", stop->words}, {"was_bad", stop->was_bad}};
}

Json timeline_json(const Timeline& timeline) {
  Json ranks = Json::array();
  Json stops = Json::array();
  std::size_t spans = 0;
  for (const TimelineRank& rank : timeline.ranks) {
    ranks.push_back(rank.rank);
    stops.push_back(stop_json(rank.stop));
    spans += rank.spans.size();
  }
  Json groups = Json::array();
  for (const TimelineGroup& group : timeline.groups) {
    groups.push_back({{"name", clean(group.name)}, {"members", ranges(group.members)}});
  }
  return {{"begin_ns", std::to_string(timeline.begin_ns)},  // a double does not hold it
          {"seen_us", timeline.seen_us},
          {"length_us", timeline.length_us},
          {"spans", spans},
          {"ranks", ranks},
          {"stops", stops},
          {"labels", texts(timeline.labels)},
          {"sites", texts(timeline.sites)},
          {"groups", groups},
          {"meetings", meetings_json(timeline.meetings)}};
}

Json line_json(const LogLine& line) {
  return Json::array({line.number, or_null(line.rank),
                      line.time_ns ? Json(static_cast<double>(*line.time_ns) / 1e3) : Json(nullptr),
                      line.bytes_cut, clean(line.text)});
}

Json logs_json(const LogExcerpts& logs) {
  Json json = Json::array();
  for (const LogExcerpt& file : logs.files) {
    Json lines = Json::array();
    for (const LogLine& line : file.lines) lines.push_back(line_json(line));
    json.push_back({{"file", clean(file.file)},
                    {"rank", or_null(file.rank)},
                    {"lines_in_all", file.lines_in_all},
                    {"lines", std::move(lines)}});
  }
  return json;
}

// JSON has no word for NaN and infinity; the page must show them.
Json loss_json(double loss) {
  if (std::isnan(loss)) return "nan";
  if (std::isinf(loss)) return loss > 0 ? "inf" : "-inf";
  return loss;
}

std::string_view word_for(LossCount counted) {
  switch (counted) {
    case LossCount::kStep:
      return "step";
    case LossCount::kEpoch:
      return "epoch";
    case LossCount::kLine:
      break;
  }
  return "line";
}

Json losses_json(const std::vector<LossCurve>& curves) {
  Json json = Json::array();
  for (const LossCurve& curve : curves) {
    Json steps = Json::array();
    Json losses = Json::array();
    for (const LossPoint& point : curve.points) {
      steps.push_back(point.step);
      losses.push_back(loss_json(point.loss));
    }
    json.push_back({{"rank", curve.rank},
                    {"by", word_for(curve.counted)},
                    {"steps", std::move(steps)},
                    {"losses", std::move(losses)}});
  }
  return json;
}

Json steps_json(const std::vector<StepTimes>& all) {
  Json json = Json::array();
  for (const StepTimes& times : all) {
    Json values = Json::array();
    for (const float value : times.milliseconds) values.push_back(std::round(value * 1000.0) / 1000.0);
    json.push_back({{"rank", times.rank},
                    {"first_step", times.first_step},
                    {"steps_each", times.steps_each},
                    {"ms", std::move(values)}});
  }
  return json;
}

Json checksums_json(const std::optional<ChecksumMap>& map) {
  if (!map) return nullptr;
  Json rows = Json::array();
  for (const ChecksumRow& row : map->rows) {
    rows.push_back({{"group", clean(row.group)}, {"sequence", row.sequence}, {"results", row.results}});
  }
  return {{"compared", map->compared}, {"parted", map->parted}, {"rows", std::move(rows)}};
}

// Columns: two hundred hosts have forty thousand pairs.
Json measures_json(const HostMeasures& measures) {
  if (measures.empty()) return nullptr;
  Json from = Json::array();
  Json to = Json::array();
  Json latency_us = Json::array();
  Json megabytes_per_s = Json::array();
  for (const PairMeasure& pair : measures.pairs) {
    from.push_back(pair.from);
    to.push_back(pair.to);
    latency_us.push_back(pair.latency_us);
    megabytes_per_s.push_back(pair.megabytes_per_s);
  }
  Json failures = Json::array();
  for (const PairFailure& one : measures.failures) {
    failures.push_back({{"from", one.from},
                        {"to", one.to},
                        {"port", one.port},
                        {"end", clean(one.end)},
                        {"needed_by", texts(one.needed_by)}});
  }
  return {{"hosts", texts(measures.hosts)},
          {"from", std::move(from)},
          {"to", std::move(to)},
          {"latency_us", std::move(latency_us)},
          {"megabytes_per_s", std::move(megabytes_per_s)},
          {"failures", std::move(failures)}};
}

Json moments_json(const std::vector<EvidenceMoment>& moments) {
  Json json = Json::array();
  for (const EvidenceMoment& one : moments) {
    json.push_back(
        {{"finding", one.finding}, {"evidence", one.evidence}, {"rank", one.rank}, {"time_us", one.time_us}});
  }
  return json;
}

Json side_json(const CallSide& side) {
  return {{"ranks", side.ranks},
          {"call", clean(side.call)},
          {"site", clean(side.site)},
          {"first_line", side.snippet.first_line},
          {"called_line", side.snippet.called_line},
          {"lines", texts(side.snippet.lines)}};
}

Json sides_json(const std::vector<FindingSides>& all) {
  Json json = Json::array();
  for (const FindingSides& one : all) {
    Json sides = Json::array();
    for (const CallSide& side : one.sides) sides.push_back(side_json(side));
    json.push_back({{"finding", one.finding}, {"sides", std::move(sides)}});
  }
  return json;
}

Json fix_json(const model::Fix& fix) {
  return {{"pattern", model::id_of(fix.pattern)},
          {"title", clean(fix.title)},
          {"steps", texts(fix.steps)},
          {"commands", texts(fix.commands)}};
}

Json symptom_json(const catalogue::Symptom& symptom) {
  Json fixes = Json::array();
  for (const model::Fix& fix : diagnose::fixes_of(symptom)) fixes.push_back(fix_json(fix));
  return {{"code", symptom.code},
          {"leaf", model::entry_of(symptom.leaf).id},
          {"scope", catalogue::word_for(symptom.scope)},
          {"title", clean(catalogue::worded_in_general(symptom.title))},
          {"meaning", clean(catalogue::worded_in_general(symptom.meaning))},
          {"causes", texts(symptom.causes)},
          {"fixes", std::move(fixes)},
          {"references", texts(symptom.references)},
          {"samples", texts(symptom.matches)}};
}

}  // namespace

Json encode(const Contents& contents) {
  Json json = Json::object();
  json["schema"] = "lockstep-page-v1";
  json["input"] = clean(contents.input);
  json["ranks"] = Json::array();
  for (const RankFacts& rank : contents.ranks) json["ranks"].push_back(rank_json(rank));
  json["timeline"] = contents.timeline.is_empty() ? Json(nullptr) : timeline_json(contents.timeline);
  json["moments"] = moments_json(contents.moments);
  json["sides"] = sides_json(contents.sides);
  json["logs"] = logs_json(contents.logs);
  json["losses"] = losses_json(contents.losses);
  json["steps"] = steps_json(contents.steps);
  json["checksums"] = checksums_json(contents.checksums);
  json["hosts"] = encode(contents.hosts);
  json["measures"] = measures_json(contents.measures);
  json["bounds"] = texts(contents.bounds);
  return json;
}

Json encode(const catalogue::Catalogue& catalogue) {
  Json leaves = Json::array();
  for (const model::LeafEntry& leaf : model::all_leaves()) {
    leaves.push_back({{"id", leaf.id}, {"name", leaf.name}, {"study_code", leaf.study_code}});
  }
  Json codes = Json::array();
  for (std::size_t i = 0; i < catalogue.size(); ++i) codes.push_back(symptom_json(catalogue.symptom(i)));
  return {{"leaves", std::move(leaves)}, {"codes", std::move(codes)}};
}

}  // namespace lockstep::html
