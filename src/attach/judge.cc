#include "attach/judge.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/describe.h"
#include "diagnose/ranks/hang/meeting_place.h"
#include "model/finding_code.h"
#include "model/rank.h"

namespace lockstep::attach {
namespace {

using evidence::Doing;
using model::Finding;

// How long ranks must have waited. A rank that saves or evaluates keeps the others waiting for seconds; one
// that computes all the while may be a healthy one for a minute. Judge.ARankThatComputesIsGivenAMinute
constexpr Seconds kMinWait{5};
constexpr Seconds kMinWaitForBusyRank{60};
// Everybody at the same place and nobody elsewhere: only time tells it from a slow transfer.
constexpr Seconds kMinWaitOfAll{30};

// Confidences, until a corpus of attached jobs fits them: higher where more than one thing must go wrong for
// the finding to be false. Judge.ALongerWaitIsSurer
constexpr double kStopped = 0.95;
constexpr double kOddRankLong = 0.9;
constexpr double kOddRankShort = 0.75;
constexpr double kBusyRank = 0.6;
constexpr double kAllAtOnePlace = 0.55;
constexpr Seconds kLong{30};

struct Standing {
  const RankLook* look = nullptr;
  int rank = 0;
  model::Stack stack = {};
  std::string call = {};  // in which ranks meet; empty: somewhere else
  ranks::Phase phase = ranks::Phase::kTrain;
  std::string key = {};  // equal for ranks that are at the same place
  bool moved = false;    // between two looks
  bool is_stopped = false;
  bool is_idle = false;
};
using Standings = std::vector<Standing>;

std::string place_in_words(const Standing& one) {
  const auto place = ranks::code_place(one.stack, {});
  const std::string where = place ? fmt::format("{}:{}{}", place->file, place->line,
                                                place->function.empty() ? "" : " in " + place->function)
                                  : "";
  if (!one.call.empty()) return where.empty() ? one.call : one.call + " at " + where;
  if (!where.empty()) {
    const model::Frame& innermost = one.stack.front();
    const bool is_below = innermost.function != place->function;
    return is_below ? fmt::format("{} at {}", innermost.function, where) : where;
  }
  if (!one.stack.empty()) return ranks::describe(one.stack);
  return one.look->waits_in.empty() ? "an unknown place" : fmt::format("the kernel's {}", one.look->waits_in);
}

std::string key_at(const Position& position) {
  const auto place = ranks::code_place(position.stack, {});
  return fmt::format("{}|{}", ranks::meeting_call_of(position.stack),
                     place ? fmt::format("{}:{}", place->file, place->line) : "");
}

std::string key_of(const RankLook& rank, const Position& position) {
  if (position.stack.empty()) return "in the kernel's " + rank.waits_in;
  return key_at(position);
}

bool moves(const RankLook& rank) {
  const auto is_other = [](const Position& a, const Position& b) {
    if (a.stack.empty() || b.stack.empty()) return false;  // not read this time
    return a.loops != b.loops || key_at(a) != key_at(b);
  };
  return std::ranges::adjacent_find(rank.rounds, is_other) != rank.rounds.end();
}

Standings standings_of(const JobLook& look) {
  Standings standings;
  for (const RankLook& rank : look.ranks) {
    if (!rank.process.rank) continue;
    Standing one{.look = &rank, .rank = *rank.process.rank};
    const Position last = rank.rounds.empty() ? Position{} : rank.rounds.back();
    one.stack = last.stack;
    if (const ranks::MeetingPlace* meeting = ranks::meeting_place_of(one.stack)) {
      one.call = ranks::meeting_call_of(one.stack);
      one.phase = meeting->phase;
    }
    one.key = key_of(rank, last);
    one.moved = moves(rank);
    one.is_stopped = rank.state == 'T' || rank.state == 't' || rank.doing == Doing::kStopped;
    one.is_idle = rank.doing == Doing::kWaits || rank.doing == Doing::kPolls;
    standings.push_back(std::move(one));
  }
  std::ranges::sort(standings, {}, &Standing::rank);
  return standings;
}

std::vector<int> ranks_in(const Standings& some) {
  std::vector<int> ranks;
  for (const Standing& one : some) {
    if (ranks.empty() || ranks.back() != one.rank) ranks.push_back(one.rank);
  }
  return ranks;
}

// Processor time of a moment is no progress: threads of frameworks wake up to look. Where a rank stands is.
Seconds wait_of(const Standing& one, Seconds watched) {
  if (one.moved) return Seconds(0);
  return std::max(one.look->blocked_for.value_or(Seconds(0)), watched);
}

Seconds shortest_wait(const Standings& waiting, Seconds watched) {
  Seconds shortest = Seconds::max();
  for (const Standing& one : waiting) shortest = std::min(shortest, wait_of(one, watched));
  return waiting.empty() ? Seconds(0) : shortest;
}

std::string in_words(Seconds time) {
  return ranks::duration_in_words(time.count() * 1e9);
}

// The ranks by where they are, the largest group first; of equal ones that of the lowest rank.
std::vector<Standings> by_place(const Standings& standings) {
  std::map<std::string, Standings> places;
  for (const Standing& one : standings) places[one.key].push_back(one);
  std::vector<Standings> groups;
  for (auto& [key, group] : places) groups.push_back(std::move(group));
  std::ranges::stable_sort(groups, [](const Standings& a, const Standings& b) {
    return std::tuple(b.size(), a.front().rank) < std::tuple(a.size(), b.front().rank);
  });
  return groups;
}

struct Sides {
  Standings waiting;
  Standings away;  // the others wait for these
};

// Who waits is in a call in which ranks meet. Where stacks show no such call, as of MPI, most of three ranks
// or more that stand still at one place wait for the rest.
Sides sides_of(const Standings& standings) {
  Sides sides;
  const std::vector<Standings> groups = by_place(standings);
  const bool any_meets =
      std::ranges::any_of(standings, [](const Standing& one) { return !one.call.empty(); });
  const bool is_most = groups.front().size() * 2 > standings.size() && standings.size() > 2;
  for (const Standing& one : standings) {
    const bool is_in_largest = is_most && one.key == groups.front().front().key;
    const bool waits = any_meets ? !one.call.empty() : is_in_largest && one.is_idle;
    (waits ? sides.waiting : sides.away).push_back(one);
  }
  return sides;
}

model::Evidence evidence_of(const Standing& one) {
  const RankLook& look = *one.look;
  std::string text = one.stack.empty() ? place_in_words(one) : ranks::describe(one.stack);
  if (!one.call.empty() && text.find(one.call) == std::string::npos) text = one.call + " < " + text;
  if (one.is_stopped) text = "stopped by a signal, at " + text;
  if (look.state == 'D') text += "; in an uninterruptible wait of the kernel";
  if (look.swapped_bytes > 0) text += fmt::format("; {} MB swapped out", look.swapped_bytes >> 20);
  if (look.blocked_for && one.is_idle)
    text += fmt::format("; has not run for {}", in_words(*look.blocked_for));
  return {.file = fmt::format("{}: pid {}", look.host, look.process.pid),
          .line = std::nullopt,
          .rank = one.rank,
          .text = std::move(text)};
}

Finding finding_about(model::FindingCode code, const Standings& root, const Standings& affected) {
  constexpr std::size_t kMaxEvidence = 6;
  Finding finding;
  finding.code = std::move(code);
  finding.leaf = affected.empty() ? model::Leaf::kPerfHang : ranks::leaf_of(affected.front().phase);
  finding.scope = model::Scope::kDistributed;
  finding.root_ranks = ranks_in(root);
  finding.victim_ranks = ranks_in(affected);
  for (const Standings* side : {&root, &affected}) {
    for (const Standing& one : *side) {
      if (finding.evidence.size() < kMaxEvidence) finding.evidence.push_back(evidence_of(one));
      if (auto place = ranks::code_place(one.stack, {one.rank})) ranks::add_place(finding, std::move(*place));
    }
  }
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

std::string waits_in_words(const Standings& waiting) {
  const std::string& call = waiting.front().call;
  const bool is_one_call =
      std::ranges::all_of(waiting, [&](const Standing& one) { return one.call == call; });
  const std::string where = is_one_call && !call.empty() ? call : place_in_words(waiting.front());
  return fmt::format("{} {} in {}", ranks::ranks_in_words(ranks_in(waiting)),
                     waiting.size() == 1 ? "waits" : "wait", where);
}

std::string waiting_since(const Standings& waiting, Seconds wait) {
  const std::string& call = waiting.front().call;
  return fmt::format("{} {} been waiting{} for {}", ranks::ranks_in_words(ranks_in(waiting)),
                     waiting.size() == 1 ? "has" : "have", call.empty() ? "" : " in " + call, in_words(wait));
}

bool is_in_loader(const Standing& one) {
  return std::ranges::any_of(one.stack, [](const model::Frame& frame) {
    return frame.file.find("torch/utils/data/") != std::string::npos;
  });
}

std::string capitalised(std::string text) {
  return ranks::as_sentences(std::move(text));
}

Finding stopped(const Standings& stopped, const Standings& others) {
  Finding finding = finding_about(model::codes::kStoppedRank, stopped, others);
  finding.confidence = kStopped;
  const std::string whose = ranks::ranks_in_words(finding.root_ranks);
  finding.title =
      capitalised(fmt::format("{} {} stopped by a signal", whose, stopped.size() == 1 ? "is" : "are"));
  finding.explanation = fmt::format(
      "The kernel shows {} as stopped (SIGSTOP, a debugger or a suspended terminal job). Every rank "
      "that meets {} in a collective waits until it is continued: kill -CONT {}.",
      whose, stopped.size() == 1 ? "it" : "them", stopped.front().look->process.pid);
  return finding;
}

// Ranks that the launcher should have started, or did start, and that no process of this job is.
Finding absent(const std::vector<int>& missing, const Standings& waiting) {
  const bool is_setup = waiting.front().phase == ranks::Phase::kSetup;
  Finding finding = finding_about(is_setup ? model::FindingCode(model::codes::kSetupRankNotStarted)
                                           : model::FindingCode(model::codes::kEndedEarly),
                                  {}, waiting);
  finding.root_ranks = missing;
  finding.confidence = kOddRankShort;
  finding.title = capitalised(fmt::format("{} {} no process; {}", ranks::ranks_in_words(missing),
                                          missing.size() == 1 ? "has" : "have", waits_in_words(waiting)));
  finding.explanation = is_setup ? "They were never started here, or ended before the ranks came together."
                                 : "They have ended while the others go on.";
  return finding;
}

Finding odd_one_out(const Standings& odd, const Standings& waiting, Seconds wait) {
  const bool is_in_a_call = !odd.front().call.empty();
  const bool loads = std::ranges::any_of(odd, is_in_loader);
  const model::FindingCode code = is_in_a_call ? model::codes::kDifferentCalls
                                  : loads      ? model::codes::kDataLoading
                                               : model::codes::kMissingRank;
  Finding finding = finding_about(code, odd, waiting);
  const bool is_busy = !is_in_a_call && std::ranges::any_of(odd, [](const Standing& one) {
    return one.moved || !one.is_idle;
  });
  finding.confidence = is_busy ? kBusyRank : wait >= kLong ? kOddRankLong : kOddRankShort;
  const std::string who = ranks::ranks_in_words(finding.root_ranks);
  const std::string verb = odd.size() == 1 ? "is" : "are";
  const std::string where =
      is_in_a_call ? fmt::format("{} {}", odd.size() == 1 ? "waits in" : "wait in", odd.front().call)
                   : fmt::format("{} at {}", verb, place_in_words(odd.front()));
  finding.title = capitalised(fmt::format("{} {} while {}", who, where, waits_in_words(waiting)));
  finding.explanation = fmt::format(
      "{} and did not move while watched. {}.", waiting_since(waiting, wait),
      is_in_a_call ? fmt::format("{} {} in a different call, so neither side can finish", who, verb)
      : is_busy    ? fmt::format("{} {} busy, and the others wait for it", who, verb)
                   : fmt::format("{} {} idle there and did not move either", who, verb));
  finding.explanation = capitalised(std::move(finding.explanation));
  return finding;
}

Finding different_calls(const std::vector<Standings>& groups, Seconds wait) {
  Standings all;
  std::string who;
  for (const Standings& group : groups) {
    all.insert(all.end(), group.begin(), group.end());
    who += fmt::format("{}{} in {}", who.empty() ? "" : ", ", ranks::ranks_in_words(ranks_in(group)),
                       place_in_words(group.front()));
  }
  Finding finding = finding_about(model::codes::kDifferentCalls, {}, all);
  finding.confidence = wait >= kLong ? kOddRankShort : kBusyRank;
  finding.title = "The ranks wait for each other in different calls";
  finding.explanation =
      capitalised(fmt::format("For {}, {}. Nothing tells which of them is right.", in_words(wait), who));
  return finding;
}

Finding all_at_one_place(const Standings& all, Seconds wait) {
  Finding finding = finding_about(all.front().phase == ranks::Phase::kSetup
                                      ? model::FindingCode(model::codes::kHangSetupSilent)
                                      : model::FindingCode(model::codes::kStuckInCollective),
                                  {}, all);
  finding.confidence = kAllAtOnePlace;
  finding.title = fmt::format("All {} ranks have been waiting in {} for {}", all.size(), all.front().call,
                              in_words(wait));
  finding.explanation =
      "They are all in the same call, so the calls fit together and the transfer does not finish: a rank "
      "on another host, the network, or a group that they make in different orders.";
  return finding;
}

std::vector<int> missing_ranks(const JobLook& look, const Standings& standings) {
  if (look.job.starts_ranks_itself || !look.job.world_size) return {};
  // Of a job of several hosts only those of this one could be seen.
  const bool is_whole = look.job.local_size && *look.job.local_size >= *look.job.world_size;
  std::set<int> seen;
  for (const Standing& one : standings) seen.insert(one.rank);
  constexpr int kMaxListed = 1 << 16;
  std::vector<int> missing;
  for (int rank = 0; is_whole && rank < std::min(*look.job.world_size, kMaxListed); ++rank) {
    if (seen.count(rank) == 0) missing.push_back(rank);
  }
  return missing.size() < seen.size() ? missing : std::vector<int>{};
}

// Where all ranks are in calls in which they meet: the fewest are at the odd place, if they are fewer.
void part_by_call(Sides& sides, std::vector<Standings>& groups) {
  groups = by_place(sides.waiting);
  if (groups.size() < 2 || groups[0].size() == groups[1].size()) return;
  sides.waiting = groups.front();
  sides.away.clear();
  for (std::size_t i = 1; i < groups.size(); ++i)
    sides.away.insert(sides.away.end(), groups[i].begin(), groups[i].end());
}

class Judge {
 public:
  Judge(const JobLook& look, Judgement& judgement)
      : look_(look), judgement_(judgement), standings_(standings_of(look)) {}

  void judge() {
    if (standings_.empty()) return say("no rank could be looked at");
    Standings halted;
    Standings others;
    for (const Standing& one : standings_) (one.is_stopped ? halted : others).push_back(one);
    if (!halted.empty()) return add(stopped(halted, others));
    Sides sides = sides_of(standings_);
    if (sides.waiting.empty()) return say("no rank waits for another");
    if (is_anybody(sides.waiting, [](const Standing& one) { return one.moved; }))
      return say("the job is making progress: its ranks moved while they were watched");
    const std::vector<int> missing = missing_ranks(look_, standings_);
    if (!missing.empty() && sides.away.empty())
      return weigh(absent(missing, sides.waiting), sides.waiting, kMinWait);
    std::vector<Standings> groups;
    if (sides.away.empty()) part_by_call(sides, groups);
    const Seconds wait = shortest_wait(sides.waiting, look_.watched);
    if (sides.away.empty())
      return groups.size() > 1 ? weigh(different_calls(groups, wait), sides.waiting, kMinWait)
                               : weigh(all_at_one_place(sides.waiting, wait), sides.waiting, kMinWaitOfAll);
    judge_sides(sides, wait);
  }

 private:
  template <typename Is>
  static bool is_anybody(const Standings& some, const Is& is) {
    return std::ranges::any_of(some, is);
  }

  // More ranks elsewhere than waiting: a few came early to where the others will be soon.
  void judge_sides(const Sides& sides, Seconds wait) {
    const bool is_busy = is_anybody(
        sides.away, [](const Standing& one) { return one.call.empty() && (one.moved || !one.is_idle); });
    const Seconds patience = is_busy ? kMinWaitForBusyRank : kMinWait;
    weigh(odd_one_out(sides.away, sides.waiting, wait), sides.waiting, patience);
    if (judgement_.verdict.findings.empty() && is_busy)
      say(fmt::format("{}; {} {} working at {}", waits_in_words(sides.waiting),
                      ranks::ranks_in_words(ranks_in(sides.away)), sides.away.size() == 1 ? "is" : "are",
                      place_in_words(sides.away.front())));
  }

  void weigh(Finding finding, const Standings& waiting, Seconds patience) {
    const Seconds wait = shortest_wait(waiting, look_.watched);
    if (wait >= patience) return add(std::move(finding));
    judgement_.needs_longer_look = wait + kMinWait >= patience;
    say(fmt::format("{} for {}, which is too short to call it a hang", waits_in_words(waiting),
                    in_words(wait)));
  }

  void add(Finding finding) { judgement_.verdict.findings.push_back(std::move(finding)); }
  void say(std::string summary) { judgement_.summary = capitalised(std::move(summary)); }

  const JobLook& look_;
  Judgement& judgement_;
  Standings standings_;
};

std::string doing_in_words(const Standing& one) {
  if (one.is_stopped) return "stopped by a signal";
  if (one.look->doing == Doing::kGone) return "gone";
  return one.is_idle ? "waiting" : "working";
}

std::string loops_in_words(const Position& position) {
  std::string text;
  for (const auto& [name, value] : position.loops)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::vector<Group> groups_of(const Standings& standings) {
  std::map<std::tuple<std::string, std::string, std::string>, Standings> alike;
  for (const Standing& one : standings) {
    const std::string loops = one.look->rounds.empty() ? "" : loops_in_words(one.look->rounds.back());
    alike[{doing_in_words(one), one.key, loops}].push_back(one);
  }
  std::vector<Group> groups;
  for (const auto& [what, some] : alike) {
    Group group{.ranks = ranks_in(some),
                .doing = std::get<0>(what),
                .place = place_in_words(some.front()),
                .loops = std::get<2>(what),
                .since = {}};
    for (const Standing& one : some) {
      const auto blocked = one.is_idle ? one.look->blocked_for : std::nullopt;
      if (blocked && (!group.since || *blocked < *group.since)) group.since = blocked;
    }
    groups.push_back(std::move(group));
  }
  std::ranges::stable_sort(groups, {}, [](const Group& group) {
    return std::pair(-static_cast<std::ptrdiff_t>(group.ranks.size()), group.ranks.front());
  });
  return groups;
}

std::string framework_of(const JobLook& look) {
  constexpr std::pair<std::string_view, std::string_view> kFrameworks[] = {
      {"/horovod/", "horovod"}, {"/keras/", "keras"}, {"/tensorflow/", "tensorflow"}, {"/torch/", "pytorch"}};
  for (const auto& [folder, framework] : kFrameworks) {
    for (const RankLook& rank : look.ranks) {
      for (const Position& position : rank.rounds) {
        for (const model::Frame& frame : position.stack) {
          if (frame.file.find(folder) != std::string::npos) return std::string(framework);
        }
      }
    }
  }
  return "";
}

void say_who_is_there_twice(const JobLook& look, model::Verdict& verdict) {
  std::map<int, std::vector<pid_t>> claims;
  for (const RankLook& rank : look.ranks) {
    if (rank.process.rank) claims[*rank.process.rank].push_back(rank.process.pid);
  }
  for (const auto& [rank, pids] : claims) {
    if (pids.size() > 1)
      verdict.limits.push_back(fmt::format("{} processes say that they are rank {}: pids {}", pids.size(),
                                           rank, fmt::join(pids, ", ")));
  }
}

void add_limits(const JobLook& look, model::Verdict& verdict) {
  say_who_is_there_twice(look, verdict);
  std::map<std::string, std::vector<int>> without;
  for (const RankLook& rank : look.ranks) {
    if (rank.process.rank && (rank.rounds.empty() || rank.rounds.back().stack.empty()))
      without[rank.why_no_stack].push_back(*rank.process.rank);
  }
  for (auto& [why, ranks] : without) {
    std::ranges::sort(ranks);
    verdict.limits.push_back(fmt::format("no stack of {}: {}", ranks::ranks_in_words(ranks), why));
  }
  verdict.limits.insert(verdict.limits.end(), look.limits.begin(), look.limits.end());
}

}  // namespace

Judgement judge(const JobLook& look) {
  Judgement judgement;
  Judge(look, judgement).judge();
  judgement.groups = groups_of(standings_of(look));
  model::JobSummary& job = judgement.verdict.job;
  job.framework = framework_of(look);
  job.world_size = look.job.world_size;
  std::set<std::string> hosts;
  for (const RankLook& rank : look.ranks) {
    hosts.insert(rank.host);
    if (rank.process.rank) job.ranks_seen.push_back(*rank.process.rank);
  }
  std::ranges::sort(job.ranks_seen);
  if (look.job.starts_ranks_itself) job.world_size = static_cast<int>(job.ranks_seen.size());
  job.hosts = static_cast<int>(hosts.size());
  add_limits(look, judgement.verdict);
  return judgement;
}

}  // namespace lockstep::attach
