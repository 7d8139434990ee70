#include "report/phrases.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/escape.h"
#include "model/rank.h"

namespace lockstep::report {
namespace {

constexpr std::size_t kLongestRankList = 60;  // characters

std::string_view confidence_in_words(double confidence) {
  if (confidence >= 0.95) return "almost certain";
  if (confidence >= 0.80) return "very likely";
  if (confidence >= 0.60) return "likely";
  if (confidence >= 0.30) return "possible";
  return "a guess";
}

std::string count_of(int count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void append_part(std::string& text, std::string_view separator, std::string_view part) {
  if (part.empty()) return;
  if (!text.empty()) text += separator;
  text += part;
}

std::string describe_size(const model::JobSummary& job) {
  std::string size;
  if (job.world_size) size = count_of(*job.world_size, "rank", "ranks");
  if (job.hosts) append_part(size, " ", fmt::format("on {}", count_of(*job.hosts, "host", "hosts")));
  return size;
}

std::string describe_input(const model::JobSummary& job) {
  if (job.ranks_seen.empty()) return "";
  const bool is_complete = job.world_size && std::cmp_equal(job.ranks_seen.size(), *job.world_size);
  if (is_complete) return "input from all of them";
  return fmt::format("input from {}", describe_ranks(job.ranks_seen));
}

std::string_view what_became_of_it(model::Outcome outcome) {
  switch (outcome) {
    case model::Outcome::kAdded:
      return "is added";
    case model::Outcome::kOrderedBefore:
      return "comes before";
    case model::Outcome::kOrderedBehind:
      return "comes behind";
    case model::Outcome::kFoldedInto:
      return "is folded into";
    case model::Outcome::kDropped:
      return "is dropped";
    case model::Outcome::kRanksNamed:
      return "takes its ranks from";
    case model::Outcome::kConfidenceChanged:
      return "changes its confidence";
    case model::Outcome::kExplainedBy:
      return "is a consequence of";
    case model::Outcome::kRenamed:
      break;
  }
  return "replaces";
}

std::string_view how_the_other_matters(model::Outcome outcome) {
  const bool is_a_reason =
      outcome == model::Outcome::kDropped || outcome == model::Outcome::kConfidenceChanged;
  return is_a_reason ? "because of " : "";
}

}  // namespace

double bounded_confidence(double confidence) {
  return std::isnan(confidence) ? 0.0 : std::clamp(confidence, 0.0, 1.0);
}

std::string describe_confidence(double confidence) {
  const double bounded = bounded_confidence(confidence);
  // Rounded down, so that only certainty reads as 100%; the small term undoes binary fractions.
  const int percent = static_cast<int>(bounded * 100 + 1e-9);
  return fmt::format("{} ({}%)", confidence_in_words(bounded), percent);
}

std::string describe_ranks(const std::vector<int>& ranks) {
  std::string list = model::compress_ranks(ranks);
  if (list.size() <= kLongestRankList) return model::ranks_in_words(ranks);
  list.resize(list.rfind(", ", kLongestRankList));
  return fmt::format("ranks {}, … ({} in all)", list, ranks.size());
}

std::string describe_who(const model::Finding& finding) {
  if (finding.root_ranks.empty() && finding.victim_ranks.empty()) return "";
  std::string who =
      "Root cause: " + (finding.root_ranks.empty() ? "not known" : describe_ranks(finding.root_ranks)) + ".";
  if (!finding.victim_ranks.empty())
    who += fmt::format(" Affected: {}.", describe_ranks(finding.victim_ranks));
  return who;
}

std::string who_and_how_sure(const model::Finding& finding) {
  std::string sure = describe_confidence(finding.confidence);
  sure.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sure.front())));
  const std::string who = describe_who(finding);
  return who.empty() ? sure + "." : fmt::format("{} {}.", who, sure);
}

std::string_view relation_to_cause(const model::Finding& follower) {
  switch (follower.leaf) {
    case model::Leaf::kSetupHang:
    case model::Leaf::kPrepHang:
    case model::Leaf::kPerfHang:
    case model::Leaf::kPrepComm:
    case model::Leaf::kRunComm:
    case model::Leaf::kPerfOther:
      return "Then:";
    default:
      return follower.code.is(model::CodeFamily::kProcess) || follower.code.is_echo() ? "Then:" : "Also:";
  }
}

std::vector<Story> stories_of(const model::Verdict& verdict) {
  std::vector<Story> stories;
  for (const model::Finding& finding : verdict.findings) {
    const auto told = std::ranges::find_if(stories, [&](const Story& story) {
      return !finding.consequence_of.empty() && story.cause->code == finding.consequence_of;
    });
    if (told == stories.end()) {
      stories.push_back({.cause = &finding, .followers = {}});
    } else {
      told->followers.push_back(&finding);
    }
  }
  return stories;
}

std::string describe_code_place(const model::CodePlace& place) {
  std::string text = base::escape_for_terminal(fmt::format("{}:{}", place.file, place.line));
  if (!place.function.empty() && place.function != "<module>")
    text += " in " + base::escape_for_terminal(place.function);
  if (!place.ranks.empty()) text += fmt::format(" ({})", describe_ranks(place.ranks));
  return text;
}

std::string describe_job(const model::JobSummary& job) {
  std::string text = base::escape_for_terminal(job.framework);
  append_part(text, " over ", base::escape_for_terminal(job.backend));
  append_part(text, ", ", describe_size(job));
  append_part(text, "; ", describe_input(job));
  return text;
}

std::string describe_place(const model::Evidence& evidence) {
  if (evidence.file.empty()) return "(no file)";
  const std::string file = base::escape_for_terminal(evidence.file);
  return evidence.line ? fmt::format("{}:{}", file, *evidence.line) : file;
}

std::string describe_origin(const model::Evidence& evidence) {
  std::string origin = evidence.rank ? fmt::format("rank {}", *evidence.rank) : "";
  if (evidence.level == model::EvidenceLevel::kInferred) append_part(origin, ", ", "inferred");
  if (evidence.level == model::EvidenceLevel::kAbsence) append_part(origin, ", ", "missing");
  return origin;
}

std::string describe_decision(const model::Decision& decision) {
  const std::string finding = base::escape_for_terminal(decision.finding);
  const std::string other = base::escape_for_terminal(decision.other);
  std::string text = fmt::format("{} {}", finding, what_became_of_it(decision.outcome));
  if (!other.empty()) text += fmt::format(" {}{}", how_the_other_matters(decision.outcome), other);
  return fmt::format("{}: {} ({})", text, base::escape_for_terminal(decision.reason),
                     base::escape_for_terminal(decision.rule));
}

std::string describe_code(const model::Finding& finding) {
  if (finding.code.empty()) return std::string(model::entry_of(finding.leaf).id);
  return base::escape_for_terminal(finding.code);
}

}  // namespace lockstep::report
