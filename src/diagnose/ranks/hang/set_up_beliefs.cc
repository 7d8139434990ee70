#include "diagnose/ranks/hang/set_up_beliefs.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "catalogue/advice.h"
#include "diagnose/ranks/confidence.h"
#include "diagnose/ranks/describe.h"
#include "model/finding_code.h"

namespace lockstep::ranks {
namespace {

using model::RankHistory;
using RanksByBelief = std::map<std::string, std::vector<int>>;

// What ranks believe of one thing, and whose word counts where as many say the one as the other.
struct Question {
  std::string about;  // "the world size"
  RanksByBelief beliefs;
  std::optional<int> owner;
  double confidence = confidence::kRanksDisagree;
};

RanksByBelief::const_iterator most_believed(const RanksByBelief& beliefs) {
  return std::ranges::max_element(beliefs, {}, [](const auto& entry) { return entry.second.size(); });
}

// Empty where nobody's word counts more.
std::optional<std::string> right_belief(const Question& question) {
  const auto most = most_believed(question.beliefs);
  const bool is_tie = std::ranges::count_if(question.beliefs, [&](const auto& entry) {
                        return entry.second.size() == most->second.size();
                      }) > 1;
  if (!is_tie) return most->first;
  if (!question.owner) return std::nullopt;
  for (const auto& [belief, ranks] : question.beliefs) {
    if (std::ranges::find(ranks, *question.owner) != ranks.end()) return belief;
  }
  return std::nullopt;
}

Question world_size_question(const model::Job& job) {
  Question question{.about = "the world size", .beliefs = {}, .owner = {}};
  for (const RankHistory& history : job.ranks) {
    if (const auto size = history.rank.world_size)
      question.beliefs[std::to_string(*size)].push_back(history.rank.number);
  }
  // Of two beliefs, that of as many as there are.
  if (const auto right = question.beliefs.find(std::to_string(job.ranks.size()));
      right != question.beliefs.end())
    question.owner = right->second.front();
  return question;
}

struct Address {
  std::string_view host;
  std::string_view port;
};

Address split_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

bool is_number(std::string_view host) {
  return !host.empty() && std::ranges::all_of(host, [](char c) {
    return std::isxdigit(static_cast<unsigned char>(c)) != 0 || c == '.' || c == ':' || c == '[' || c == ']';
  });
}

// Ports are compared as they are. Hosts have many names: two numbers differ, and a number and a name may not.
// Who owns the address may listen on every one it has.
void ask_about_address(std::string_view about, const std::map<int, std::string_view>& by_rank,
                       std::optional<int> owner, std::vector<Question>& questions) {
  Question ports{.about = fmt::format("the port of {}", about), .beliefs = {}, .owner = owner};
  Question hosts{.about = fmt::format("the address of {}", about), .beliefs = {}, .owner = owner};
  hosts.confidence = confidence::kRanksDisagreeOnNames;
  for (const auto& [rank, text] : by_rank) {
    const Address address = split_address(text);
    if (!address.port.empty()) ports.beliefs[std::string(address.port)].push_back(rank);
    if (rank != owner && is_number(address.host)) hosts.beliefs[std::string(address.host)].push_back(rank);
  }
  questions.push_back(std::move(ports));
  questions.push_back(std::move(hosts));
}

using Task = std::pair<std::string_view, std::string_view>;  // its name and address

// "worker/0=10.0.0.1:2222 worker/1=10.0.0.2:2222", in the order of the text, which is that of the ranks.
std::vector<Task> tasks_in(std::string_view cluster) {
  std::vector<Task> tasks;
  while (!cluster.empty()) {
    const std::string_view task = cluster.substr(0, cluster.find(' '));
    const std::size_t sign = task.find('=');
    if (sign != std::string_view::npos) tasks.emplace_back(task.substr(0, sign), task.substr(sign + 1));
    cluster.remove_prefix(std::min(cluster.size(), task.size() + 1));
  }
  return tasks;
}

std::optional<int> owner_of(std::string_view task, const std::vector<Task>& in_order) {
  const auto found = std::ranges::find(in_order, task, &Task::first);
  return found == in_order.end() ? std::nullopt : std::optional(static_cast<int>(found - in_order.begin()));
}

std::vector<Question> questions_of(const model::Job& job) {
  std::vector<Question> questions = {world_size_question(job)};
  std::map<int, std::string_view> places;                             // by rank
  std::map<std::string_view, std::map<int, std::string_view>> tasks;  // of clusters, by rank
  std::vector<Task> in_order;
  for (const RankHistory& history : job.ranks) {
    const std::string_view place = history.rank.meeting_place;
    if (place.empty()) continue;
    const auto cluster = tasks_in(place);
    if (cluster.size() > in_order.size()) in_order = cluster;
    if (cluster.empty()) places[history.rank.number] = place;
    for (const auto& [task, address] : cluster) tasks[task][history.rank.number] = address;
  }
  if (places.size() > 1) ask_about_address("the meeting place", places, 0, questions);
  for (const auto& [task, by_rank] : tasks)
    ask_about_address(task, by_rank, owner_of(task, in_order), questions);
  return questions;
}

std::string beliefs_in_words(const Question& question) {
  std::string words;
  for (const auto& [belief, ranks] : question.beliefs) {
    words += fmt::format("{}{}: {}", words.empty() ? "" : "; ", ranks_in_words(ranks), belief);
  }
  return words;
}

void put_beliefs(const model::Job& job, const Question& question, const std::optional<std::string>& right,
                 model::Finding& finding) {
  for (const auto& [belief, ranks] : question.beliefs) {
    finding.evidence.push_back(evidence_about(job, *job.find_rank(ranks.front()),
                                              fmt::format("{}: {}", question.about, belief),
                                              model::EvidenceLevel::kSeen));
    if (!right) continue;
    std::vector<int>& side = belief == *right ? finding.victim_ranks : finding.root_ranks;
    side.insert(side.end(), ranks.begin(), ranks.end());
  }
  std::ranges::sort(finding.root_ranks);
  std::ranges::sort(finding.victim_ranks);
}

model::Finding finding_about(const model::Job& job, const Question& question) {
  const std::optional<std::string> right = right_belief(question);
  model::Finding finding;
  finding.leaf = model::Leaf::kSetupHang;
  finding.code = model::codes::kSetupRanksDisagree;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = question.confidence;
  put_beliefs(job, question, right, finding);
  if (finding.root_ranks.empty()) {
    finding.title = fmt::format("ranks disagree about {}", question.about);
  } else {
    std::string told;
    for (const auto& [belief, ranks] : question.beliefs) {
      if (belief != *right) told += (told.empty() ? "" : " and ") + belief;
    }
    finding.title =
        fmt::format("{} {} told another value for {} than the others ({} instead of {})",
                    ranks_in_words(finding.root_ranks), finding.root_ranks.size() == 1 ? "was" : "were",
                    question.about, told, *right);
  }
  finding.explanation = fmt::format(
      "What each was told of {}: {}. Ranks that disagree about it wait for each other and never meet.",
      question.about, beliefs_in_words(question));
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

}  // namespace

bool stands_at_the_start(const RankHistory& history) {
  const bool is_whole =
      history.rank.begun_ns && history.begins_at_start && history.reaches_end && history.events_lost == 0;
  const bool has_not_ended =
      history.rank.end == model::RankEnd::kUnknown && history.rank.liveness != model::Liveness::kDead;
  const bool has_issued = std::ranges::any_of(
      history.events, [](const model::Event& event) { return event.kind != model::EventKind::kActivity; });
  return is_whole && !has_issued && history.failures.empty() && has_not_ended;
}

std::optional<model::Finding> find_set_up_disagreement(const model::Job& job) {
  if (job.ranks.size() < 2) return std::nullopt;
  for (const Question& question : questions_of(job)) {
    if (question.beliefs.size() > 1) return finding_about(job, question);
  }
  return std::nullopt;
}

model::Finding finding_of(const model::Job& job, const SameRankTwice& twice) {
  model::Finding finding;
  finding.leaf = model::Leaf::kSetupHang;
  finding.code = model::codes::kSetupSameRankTwice;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = confidence::kSameRankTwice;
  finding.root_ranks = {twice.rank};
  for (const RankHistory& history : job.ranks) {
    if (history.rank.number != twice.rank) finding.victim_ranks.push_back(history.rank.number);
  }
  finding.title = fmt::format("two processes are both rank {}", twice.rank);
  finding.explanation = fmt::format(
      "Processes {} and {} were both started as rank {} of the same job, so another rank has no process and "
      "the "
      "others wait for it.",
      twice.first_pid, twice.second_pid, twice.rank);
  if (const RankHistory* history = job.find_rank(twice.rank)) {
    finding.evidence.push_back(evidence_about(
        job, *history,
        fmt::format("rank {} is process {} and process {}", twice.rank, twice.first_pid, twice.second_pid),
        model::EvidenceLevel::kSeen));
  }
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

namespace {

std::vector<int> ranks_with(const std::vector<AbsentRank>& absent, AbsentProcess process) {
  std::vector<int> ranks;
  for (const AbsentRank& one : absent) {
    if (one.process == process) ranks.push_back(one.rank);
  }
  return ranks;
}

// The surest word about them first.
std::string why_absent(const std::vector<AbsentRank>& absent, const std::vector<int>& waiting,
                       std::int64_t waited_ns) {
  const std::string others = ranks_in_words(waiting);
  const std::string time = duration_in_words(static_cast<double>(waited_ns));
  if (const auto ended = ranks_with(absent, AbsentProcess::kEnded); !ended.empty())
    return fmt::format("{} ended before joining {}", ranks_in_words(ended), others);
  if (const auto never = ranks_with(absent, AbsentProcess::kNotStarted); !never.empty())
    return fmt::format("{} {} not started, and {} {} waiting for {}", ranks_in_words(never),
                       never.size() == 1 ? "was" : "were", others, waiting.size() == 1 ? "is" : "are",
                       never.size() == 1 ? "it" : "them");
  std::vector<int> late;
  for (const AbsentRank& one : absent) late.push_back(one.rank);
  return fmt::format("{} {} late: {} {} waited {} for the job to be complete", ranks_in_words(late),
                     late.size() == 1 ? "is" : "are", others, waiting.size() == 1 ? "has" : "have", time);
}

std::string absence_in_words(const AbsentRank& absent) {
  switch (absent.process) {
    case AbsentProcess::kNotStarted:
      return fmt::format("No process of this job is rank {}, and the launcher starts no more. ", absent.rank);
    case AbsentProcess::kEnded:
      return fmt::format("The process of rank {} has ended. ", absent.rank);
    case AbsentProcess::kThere:
      return fmt::format("The process of rank {} (pid {}) runs, and has not begun to communicate. ",
                         absent.rank, absent.pid);
    case AbsentProcess::kUnknown:
      return fmt::format("There is no sign of rank {} on this host. ", absent.rank);
  }
  return {};
}

double confidence_in(const std::vector<AbsentRank>& absent) {
  const bool is_known = std::ranges::any_of(absent, [](const AbsentRank& one) {
    return one.process == AbsentProcess::kNotStarted || one.process == AbsentProcess::kEnded;
  });
  return is_known ? confidence::kRankSeenAbsent : confidence::kRankNotStarted;
}

}  // namespace

model::Finding finding_of(const model::Job& job, const std::vector<AbsentRank>& absent,
                          std::int64_t waited_ns) {
  model::Finding finding;
  finding.leaf = model::Leaf::kSetupHang;
  finding.code = model::codes::kSetupRankNotStarted;
  finding.scope = model::Scope::kDistributed;
  finding.confidence = confidence_in(absent);
  for (const RankHistory& history : job.ranks) finding.victim_ranks.push_back(history.rank.number);
  finding.title = why_absent(absent, finding.victim_ranks, waited_ns);
  finding.explanation =
      fmt::format("The job has {} ranks, and {} {} begun. ", job.world_size.value_or(0),
                  ranks_in_words(finding.victim_ranks), finding.victim_ranks.size() == 1 ? "has" : "have");
  constexpr std::size_t kMaxTold = 4;
  for (std::size_t i = 0; i < std::min(absent.size(), kMaxTold); ++i)
    finding.explanation += absence_in_words(absent[i]);
  if (!job.ranks.empty()) {
    finding.evidence.push_back(evidence_about(
        job, job.ranks.front(), "begun, and still waiting for the others", model::EvidenceLevel::kSeen));
  }
  const bool most_are_there = absent.size() <= job.ranks.size();
  if (most_are_there || confidence_in(absent) == confidence::kRankSeenAbsent) {
    for (const AbsentRank& one : absent) finding.root_ranks.push_back(one.rank);
  }
  finding.fixes = catalogue::fixes_for(finding.code);
  return finding;
}

}  // namespace lockstep::ranks
