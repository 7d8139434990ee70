#include "report/html/contents.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "diagnose/ranks/timing/waiting_calls.h"
#include "report/redact/redact.h"

namespace lockstep::html {
namespace {

using model::Job;

std::string end_in_words(const model::Rank& rank) {
  switch (rank.end) {
    case model::RankEnd::kClean:
      return "ended by itself";
    case model::RankEnd::kExited:
      return rank.exit_status ? fmt::format("exited with status {}", *rank.exit_status) : "exited";
    case model::RankEnd::kSignalled:
      return rank.exit_status ? fmt::format("killed by signal {}", *rank.exit_status) : "killed";
    case model::RankEnd::kUnknown:
      break;
  }
  return rank.liveness == model::Liveness::kDead ? "gone" : "";
}

std::vector<RankFacts> facts_of(const Job& job) {
  std::vector<RankFacts> all;
  for (const model::RankHistory& history : job.ranks) {
    const model::Rank& rank = history.rank;
    all.push_back({.rank = rank.number,
                   .host = rank.host ? job.hosts[static_cast<std::size_t>(*rank.host)].name : "",
                   .local_rank = rank.local_rank,
                   .pid = rank.pid,
                   .restart = rank.restart,
                   .end = end_in_words(rank),
                   .framework_version = rank.framework_version});
  }
  return all;
}

// Without its folder: what was seen live names a file by itself, what was read later by its path.
std::string file_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// Evidence that is an event of a rank's file, by the name of the file and the place in it.
struct EvidencePlaces {
  std::vector<EvidenceMoment> moments = {};
  std::vector<EvidenceEvent> events = {};
};

EvidencePlaces places_of(const Job& job, const model::Verdict& verdict, const Timeline& timeline) {
  if (timeline.is_empty()) return {};
  std::map<std::pair<std::string, std::uint32_t>, EvidenceMoment> wanted;
  for (std::size_t i = 0; i < verdict.findings.size(); ++i) {
    const std::vector<model::Evidence>& evidence = verdict.findings[i].evidence;
    for (std::size_t k = 0; k < evidence.size(); ++k) {
      if (!evidence[k].line || *evidence[k].line <= 0 || *evidence[k].line > UINT32_MAX) continue;
      wanted[{file_name(evidence[k].file), static_cast<std::uint32_t>(*evidence[k].line)}] = {.finding = i,
                                                                                              .evidence = k};
    }
  }
  std::vector<std::string> names;
  for (const std::string& source : job.sources) names.push_back(file_name(source));
  EvidencePlaces places;
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    const model::RankHistory& history = job.ranks[i];
    for (std::size_t k = 0; k < history.events.size(); ++k) {
      const model::Event& event = history.events[k];
      if (event.source == model::SourceId::kNone || !ranks::is_time(event.begin_ns)) continue;
      const auto found = wanted.find({names[static_cast<std::size_t>(event.source)], event.position});
      if (found == wanted.end()) continue;
      EvidenceMoment moment = found->second;
      moment.rank = history.rank.number;
      moment.time_us = (event.begin_ns - timeline.ranks[i].clock_ahead_ns - timeline.begin_ns) / 1000;
      places.moments.push_back(moment);
      places.events.push_back({.finding = moment.finding, .rank = i, .event = k});
    }
  }
  return places;
}

std::vector<std::string> bounds_of(const Timeline& timeline, const LogExcerpts& logs,
                                   const std::vector<StepTimes>& steps) {
  std::vector<std::string> bounds;
  std::uint64_t folded = 0;
  std::uint64_t kept = 0;
  for (const TimelineRank& rank : timeline.ranks) {
    folded += rank.calls_folded;
    kept += rank.spans.size();
  }
  if (folded > 0) {
    bounds.push_back(
        fmt::format("The timeline shows the newest {} calls one by one. The {} oldest are folded into runs, "
                    "which keep their number and their sums of waiting and transfer.",
                    kept, folded));
  }
  if (timeline.ranks_with_own_clock > 0) {
    bounds.push_back(
        fmt::format("The clocks of {} ranks could not be compared with the others'; their times are "
                    "shown as they were written.",
                    timeline.ranks_with_own_clock));
  }
  if (logs.files_left_out > 0)
    bounds.push_back(fmt::format("{} log files without evidence are not in the page.", logs.files_left_out));
  std::size_t cut = 0;
  for (const LogExcerpt& file : logs.files) {
    cut += static_cast<std::int64_t>(file.lines.size()) < file.lines_in_all ? 1 : 0;
  }
  if (cut > 0) {
    bounds.push_back(fmt::format("{} shown in part: start, end and what surrounds the evidence.",
                                 cut == 1 ? std::string("1 log is") : fmt::format("{} logs are", cut)));
  }
  if (!steps.empty() && steps.front().steps_each > 1) {
    bounds.push_back(fmt::format("Step times are means of {} steps.", steps.front().steps_each));
  }
  return bounds;
}

std::size_t values_for_each_of(std::size_t ranks) {
  constexpr std::size_t kMaxValues = 300'000;
  return std::clamp<std::size_t>(kMaxValues / std::max<std::size_t>(ranks, 1), 24, 1000);
}

}  // namespace

Contents contents_of(std::string input, const diagnose::Examination& examination, ScriptLines lines) {
  const Job& job = examination.job;
  const std::string own_host = lines == ScriptLines::kOfOwnJobs ? host_of_own_recording(input) : "";
  Contents contents{.input = std::move(input), .verdict = examination.diagnosis.verdict};
  contents.ranks = facts_of(job);
  contents.timeline = timeline_of(job);
  EvidencePlaces places = places_of(job, contents.verdict, contents.timeline);
  contents.moments = std::move(places.moments);
  contents.sides = sides_of(job, places.events, own_host);
  contents.logs = excerpts_of(examination.logs, contents.verdict);
  const std::size_t max_values = values_for_each_of(job.ranks.size());
  contents.losses = loss_curves_in(examination.logs, max_values);
  contents.steps = step_times_of(job, max_values);
  contents.checksums = checksum_map_of(job);
  contents.bounds = bounds_of(contents.timeline, contents.logs, contents.steps);
  return contents;
}

Contents contents_of(std::string input, model::Verdict verdict) {
  return {.input = std::move(input), .verdict = std::move(verdict)};
}

void add_hosts(Contents& contents, const base::Json& document) {
  if (!document.is_object()) return;
  if (const auto matrix = document.find("matrix"); matrix != document.end())
    contents.hosts = decode_host_rows(*matrix);
  if (const auto probe = document.find("probe"); probe != document.end())
    contents.measures = measures_in(*probe);
  if (contents.measures.hosts_left_out > 0) {
    contents.bounds.push_back(
        fmt::format("The maps of latency and bandwidth show {} hosts, those with the slowest pairs; {} more "
                    "were measured.",
                    contents.measures.hosts.size(), contents.measures.hosts_left_out));
  }
}

void redact(Contents& contents, const std::vector<std::string>& host_names) {
  std::vector<std::string*> texts = {&contents.input};
  for (RankFacts& rank : contents.ranks) texts.push_back(&rank.host);
  for (HostRow& row : contents.hosts) {
    texts.push_back(&row.hosts);
    for (auto& [place, why] : row.why) texts.push_back(&why);
  }
  for (std::string& host : contents.measures.hosts) texts.push_back(&host);
  for (std::string& site : contents.timeline.sites) texts.push_back(&site);
  for (FindingSides& finding : contents.sides) {
    for (CallSide& side : finding.sides) {
      texts.push_back(&side.site);
      for (std::string& line : side.snippet.lines) texts.push_back(&line);
    }
  }
  for (TimelineGroup& group : contents.timeline.groups) texts.push_back(&group.name);
  for (LogExcerpt& file : contents.logs.files) {
    texts.push_back(&file.file);
    for (LogLine& line : file.lines) texts.push_back(&line.text);
  }
  report::redact_together(contents.verdict, texts, host_names);
}

}  // namespace lockstep::html
