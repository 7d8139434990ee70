// Everything one page shows, bounded: made of what was judged, or of a findings file alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "catalogue/catalogue.h"
#include "diagnose/diagnose.h"
#include "model/finding.h"
#include "report/html/call_sides.h"
#include "report/html/hosts.h"
#include "report/html/log_excerpts.h"
#include "report/html/rank_tables.h"
#include "report/html/timeline.h"

namespace lockstep::html {

struct RankFacts {
  int rank = 0;
  std::string host;
  std::optional<int> local_rank;
  std::optional<std::int64_t> pid;
  int restart = 0;
  std::string end;  // "exited with status 1"; empty where nothing tells
  std::string framework_version;
};

// A piece of evidence as a moment of the timeline.
struct EvidenceMoment {
  std::size_t finding = 0;
  std::size_t evidence = 0;
  int rank = 0;
  std::int64_t time_us = 0;
};

struct Contents {
  std::string input;  // as the user named it
  model::Verdict verdict;
  std::vector<RankFacts> ranks = {};
  Timeline timeline = {};
  std::vector<EvidenceMoment> moments = {};
  std::vector<FindingSides> sides = {};
  LogExcerpts logs = {};
  std::vector<LossCurve> losses = {};
  std::vector<StepTimes> steps = {};
  std::optional<ChecksumMap> checksums = {};
  std::vector<HostRow> hosts = {};
  HostMeasures measures = {};
  std::vector<std::string> bounds = {};  // what the page leaves out of what was read, in words
};

// Whether lines of the job's scripts are shown beside its calls. A page to be passed on has none.
enum class ScriptLines : std::uint8_t { kNone, kOfOwnJobs };

Contents contents_of(std::string input, const diagnose::Examination& examination, ScriptLines lines);

// Findings without what they were made from.
Contents contents_of(std::string input, model::Verdict verdict);

// What a check of hosts tells beside its findings: `matrix` and `probe` of the findings file.
void add_hosts(Contents& contents, const base::Json& document);

// Hosts, addresses, users and secrets in every text of the page.
void redact(Contents& contents, const std::vector<std::string>& host_names);

// As the JSON that the page reads ("lockstep-page-v1"; page/src/data/contents.ts has the same names). Spans
// travel separately, as bytes.
base::Json encode(const Contents& contents);
base::Json encode(const catalogue::Catalogue& catalogue);

}  // namespace lockstep::html
