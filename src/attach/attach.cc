#include "attach/attach.h"

#include <algorithm>
#include <future>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "attach/look_json.h"
#include "base/escape.h"
#include "base/file.h"
#include "base/json.h"
#include "diagnose/ranks/describe.h"
#include "model/rank.h"
#include "report/findings_json.h"
#include "run/evidence/collect.h"

namespace lockstep::attach {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

Result<std::vector<JobLook>> look_elsewhere(const Request& request) {
  hostinfo::RemoteRequest remote = *request.elsewhere;
  remote.verb = "attach";
  remote.arguments = {"--as-agent"};
  std::vector<JobLook> looks;
  std::vector<std::string> unreached;
  std::optional<Error> fault;
  for (const hostinfo::RemoteText& answer : hostinfo::ask_all(remote)) {
    auto seen = answer.text.ok() ? decode_looks(answer.text.value().text, answer.host)
                                 : Result<std::vector<JobLook>>(answer.text.error());
    if (seen.ok()) {
      std::ranges::move(seen.value(), std::back_inserter(looks));
      continue;
    }
    unreached.push_back(fmt::format("{} could not be looked at: {}", answer.host, seen.error().why));
    fault = seen.error();
  }
  if (looks.empty() && fault) return *fault;
  for (JobLook& look : looks) look.limits.insert(look.limits.end(), unreached.begin(), unreached.end());
  return join(std::move(looks));
}

// A job of which only some ranks are here is judged by these, and that is said.
void say_who_is_elsewhere(JobLook& look) {
  const std::optional<int>& world = look.job.world_size;
  const auto seen = static_cast<int>(look.ranks.size());
  if (!world || seen >= *world || look.job.starts_ranks_itself) return;
  if (look.job.local_size && *look.job.local_size >= *world) return;  // they are missing, not elsewhere
  look.limits.push_back(fmt::format(
      "{} of {} ranks were looked at; --hosts, --slurm or --pods looks at the others", seen, *world));
}

bool is_of(const JobLook& look, const JobLook& other) {
  return look.job.key == other.job.key && !look.job.key.starts_with("parent ");
}

void append(JobLook& to, JobLook from) {
  std::ranges::move(from.ranks, std::back_inserter(to.ranks));
  if (!to.job.world_size) to.job.world_size = from.job.world_size;
  if (to.job.local_size && from.job.local_size) *to.job.local_size += *from.job.local_size;
  to.watched = std::min(to.watched, from.watched);
  for (std::string& limit : from.limits) {
    if (std::ranges::find(to.limits, limit) == to.limits.end()) to.limits.push_back(std::move(limit));
  }
}

void add_rounds(JobLook& look, JobLook later) {
  for (RankLook& rank : look.ranks) {
    const auto again = std::ranges::find_if(later.ranks, [&](const RankLook& one) {
      return one.process.pid == rank.process.pid && one.process.start_ticks == rank.process.start_ticks;
    });
    if (again == later.ranks.end()) continue;
    std::vector<Position> rounds = std::move(rank.rounds);
    std::ranges::move(again->rounds, std::back_inserter(rounds));
    rank = std::move(*again);
    rank.rounds = std::move(rounds);
  }
}

Examined examine(const RunningJob& job, const Request& request, const process::Roots& roots) {
  const auto begun = steady_clock::now();
  JobLook look = look_at(job, request.look, roots);
  say_who_is_elsewhere(look);
  Judgement judgement = judge(look);
  while (judgement.needs_longer_look && steady_clock::now() - begun < request.longest) {
    add_rounds(look, look_at(job, request.look, roots));
    look.watched = steady_clock::now() - begun;
    judgement = judge(look);
  }
  return {.look = std::move(look), .judgement = std::move(judgement)};
}

std::string time_shown(Seconds time) {
  return ranks::duration_in_words(time.count() * 1e9);
}

Error nothing_found(const Selection& selection) {
  if (selection.pid) {
    return Error{"cannot attach", fmt::format("process {}", *selection.pid),
                 "it is no rank of a distributed job that can be looked at, and has started none",
                 "lockstep attach   lists every job of this host that you may look at"};
  }
  return Error{"cannot attach", "this host", "no distributed job runs here that you may look at",
               "--hosts, --slurm and --pods look elsewhere; root sees the jobs of all users"};
}

std::string as_py_spy_text(const RankLook& rank) {
  std::string text =
      fmt::format("Process {}: {}\nPython v3 (read by lockstep attach)\n\nThread {} ({}): \"MainThread\"\n",
                  rank.process.pid, rank.process.command, rank.process.pid,
                  rank.doing == evidence::Doing::kWorks ? "active" : "idle");
  for (const model::Frame& frame : rank.rounds.back().stack)
    text += fmt::format("    {} ({}:{})\n", frame.function, frame.file, frame.line);
  return text;
}

}  // namespace

std::vector<JobLook> look_here(const Request& request, const process::Roots& roots) {
  std::vector<JobLook> looks;
  for (const RunningJob& job : find_jobs(roots, request.selection)) {
    JobLook look = look_at(job, request.look, roots);
    if (!look.ranks.empty()) looks.push_back(std::move(look));
  }
  return looks;
}

std::vector<JobLook> join(std::vector<JobLook> looks) {
  std::vector<JobLook> joined;
  for (JobLook& look : looks) {
    const auto same = std::ranges::find_if(joined, [&](const JobLook& one) { return is_of(one, look); });
    if (same == joined.end()) {
      joined.push_back(std::move(look));
    } else {
      append(*same, std::move(look));
    }
  }
  return joined;
}

Result<std::vector<Examined>> attach(const Request& request, const process::Roots& roots) {
  std::vector<Examined> jobs;
  if (request.elsewhere) {
    for (JobLook& look : TRY(look_elsewhere(request))) {
      say_who_is_elsewhere(look);
      Judgement judgement = judge(look);
      jobs.push_back({.look = std::move(look), .judgement = std::move(judgement)});
    }
    if (jobs.empty())
      return Error{"cannot attach", fmt::format("{}", fmt::join(request.elsewhere->hosts, ", ")),
                   "no distributed job runs there that you may look at", ""};
    return jobs;
  }
  std::vector<std::future<Examined>> looks;  // at all at once: each is watched for seconds
  for (RunningJob& job : find_jobs(roots, request.selection)) {
    looks.push_back(std::async(std::launch::async, [job = std::move(job), &request, &roots] {
      return examine(job, request, roots);
    }));
  }
  for (std::future<Examined>& look : looks) {
    Examined examined = look.get();
    if (!examined.look.ranks.empty()) jobs.push_back(std::move(examined));
  }
  if (jobs.empty()) return nothing_found(request.selection);
  return jobs;
}

std::string describe(const Examined& job) {
  const JobLook& look = job.look;
  const auto shown = [](const std::string& text) { return base::escape_for_terminal(text); };
  std::string text = fmt::format("{}: looked at {} rank{}", shown(look.job.program), look.ranks.size(),
                                 look.ranks.size() == 1 ? "" : "s");
  if (look.job.world_size && *look.job.world_size != static_cast<int>(look.ranks.size()))
    text += fmt::format(" of {}", *look.job.world_size);
  text += "\n";
  for (const Group& group : job.judgement.groups) {
    const bool says_how_long = group.since && *group.since >= Seconds(1);
    const std::string doing =
        says_how_long ? fmt::format("{} {}", group.doing, time_shown(*group.since)) : group.doing;
    text +=
        fmt::format("  {:<18} {:<15} {}{}\n", ranks::ranks_in_words(group.ranks), doing, shown(group.place),
                    group.loops.empty() ? "" : fmt::format("  ({})", shown(group.loops)));
  }
  if (job.judgement.verdict.findings.empty() && !job.judgement.summary.empty())
    text += shown(job.judgement.summary) + "\n";
  return text;
}

std::string encode(const Examined& job) {
  base::Json document = report::findings_as_json(job.judgement.verdict);
  base::Json groups = base::Json::array();
  for (const Group& group : job.judgement.groups) {
    base::Json one = {
        {"ranks", group.ranks}, {"doing", group.doing}, {"place", group.place}, {"loops", group.loops}};
    if (group.since) one["seconds"] = group.since->count();
    groups.push_back(std::move(one));
  }
  base::Json processes = base::Json::array();
  for (const RankLook& rank : job.look.ranks) {
    processes.push_back({{"rank", rank.process.rank.value_or(model::kUnknownRank)},
                         {"host", rank.host},
                         {"pid", rank.process.pid}});
  }
  document["attach"] = {{"program", job.look.job.program},
                        {"watched_seconds", job.look.watched.count()},
                        {"summary", job.judgement.summary},
                        {"groups", std::move(groups)},
                        {"processes", std::move(processes)}};
  return report::to_printable_text(document);
}

Result<void> save(const Examined& job, const fs::path& folder) {
  std::error_code fault;
  const bool is_ours = fs::exists(folder / "look.json", fault);
  if (fs::exists(folder, fault) && !is_ours && !fs::is_empty(folder, fault))
    return Error{"cannot save there", folder.string(), "the folder is not empty", "name a new one"};
  fs::create_directories(folder / "stacks", fault);
  if (fault) return Error{"cannot make the folder", folder.string(), fault.message(), ""};
  for (const RankLook& rank : job.look.ranks) {
    if (rank.rounds.empty() || rank.rounds.back().stack.empty() || !rank.process.rank) continue;
    const evidence::Subject subject{.rank = rank.process.rank, .restart = 0, .pid = rank.process.pid};
    TRY(base::write_file(folder / "stacks" / evidence::stacks_file_name(subject, "python"),
                         as_py_spy_text(rank)));
  }
  TRY(base::write_file(folder / "look.json", encode_looks({job.look})));
  TRY(base::write_file(folder / "findings.json", encode(job)));
  return report::keep_live_findings(folder, job.judgement.verdict.findings);
}

}  // namespace lockstep::attach
