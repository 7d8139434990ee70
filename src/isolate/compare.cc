#include "isolate/compare.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text_fields.h"
#include "model/finding_code.h"
#include "model/line_origin.h"

namespace lockstep::isolate {
namespace {

bool is_digit(char letter) {
  return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}
bool is_hex(char letter) {
  return std::isxdigit(static_cast<unsigned char>(letter)) != 0;
}

bool says_little(const model::FindingCode& code) {
  return code.is(model::CodeFamily::kProcess) || code.is(model::CodeFamily::kGuess) || code.empty();
}

std::set<std::string> essences_of(const model::Finding& finding) {
  constexpr std::size_t kShortest = 12;  // "Traceback" or "Error" alone are in every log
  std::set<std::string> all;
  for (const model::Evidence& evidence : finding.evidence) {
    if (evidence.level != model::EvidenceLevel::kSeen) continue;
    std::string essence = essence_of(evidence.text);
    if (essence.size() >= kShortest) all.insert(std::move(essence));
  }
  return all;
}

}  // namespace

std::string essence_of(std::string_view line) {
  std::string essence;
  line = base::trimmed(model::split_origin(base::trimmed(line)).text);
  for (std::size_t at = 0; at < line.size();) {
    const bool is_address = line.substr(at).starts_with("0x");
    if (!is_address && !is_digit(line[at])) {
      essence += line[at++];
      continue;
    }
    if (is_address) at += 2;
    while (at < line.size() && (is_address ? is_hex(line[at]) : is_digit(line[at]))) ++at;
    essence += '#';
  }
  return essence;
}

namespace {

// Codes that say only that the script raised something: what, and where, makes them one fault or two.
bool tells_of_any_exception(const model::FindingCode& code) {
  return code == model::codes::kScriptException || code == model::codes::kOtherException ||
         code == model::codes::kOtherScriptError;
}

// "ValueError" of "[rank2]: ValueError: could not parse"; empty where no line of evidence names one.
std::string_view exception_kind(const model::Finding& finding) {
  for (const model::Evidence& evidence : finding.evidence) {
    std::string_view line = evidence.text;
    while (line.ends_with('\n')) line.remove_suffix(1);
    line = base::trimmed(line.substr(line.rfind('\n') + 1));
    line = base::trimmed(model::split_origin(line).text);
    const auto is_of_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    const auto end = std::ranges::find_if_not(line, is_of_name);
    const auto length = static_cast<std::size_t>(end - line.begin());
    const bool is_named = length > 0 && (length == line.size() || line[length] == ':');
    if (is_named) return line.substr(0, length);
  }
  return {};
}

bool is_at_the_same_place(const model::Finding& one, const model::Finding& other) {
  if (one.places.empty() || other.places.empty()) return true;  // one of them does not say
  const model::CodePlace& here = one.places.front();
  const model::CodePlace& there = other.places.front();
  return here.file == there.file && here.line == there.line;
}

bool is_same_exception(const model::Finding& one, const model::Finding& other) {
  const std::string_view kind = exception_kind(one);
  return !kind.empty() && kind == exception_kind(other) && is_at_the_same_place(one, other);
}

}  // namespace

bool is_same_fault(const model::Finding& one, const model::Finding& other) {
  if (tells_of_any_exception(one.code) || tells_of_any_exception(other.code))
    return is_same_exception(one, other);
  if (one.code == other.code && !says_little(one.code)) return true;
  const std::set<std::string> lines = essences_of(one);
  return std::ranges::any_of(essences_of(other),
                             [&](const std::string& line) { return lines.contains(line); });
}

namespace {

using model::Evidence;
using model::Finding;
using model::Scope;
using model::Verdict;

Evidence end_of(const ControlRun& control) {
  return {.file = control.log,
          .line = std::nullopt,
          .rank = 0,
          .text = "control run of one rank alone: " + control.end_in_words,
          .level = model::EvidenceLevel::kInferred};
}

// The explanation may already give a reason for the scope that the logs suggest; the control run outweighs
// it.
void prove(Finding& finding, Scope scope, std::string_view reason) {
  if (!finding.explanation.empty()) finding.explanation += "\n";
  const bool contradicts = finding.scope != scope && finding.scope != Scope::kUnknown;
  finding.explanation += fmt::format(
      "{} {}", contradicts ? "A control run overrules that:" : "A control run proves it:", reason);
  finding.scope = scope;
}

Comparison cannot_say(const ControlRun& control, const std::optional<Verdict>& job, std::string_view why) {
  Comparison comparison;
  comparison.outcome = Outcome::kCannotSay;
  comparison.statement = fmt::format("Cannot say whether the fault is distributed: {}.", why);
  comparison.verdict = job ? *job : control.verdict;
  comparison.verdict.limits.push_back(fmt::format("the control run proves nothing: {}", why));
  return comparison;
}

// Why the run is no control, whatever it printed.
std::optional<std::string> objection(const ControlRun& control) {
  if (control.was_interrupted) return "the control run was interrupted";
  if (control.verdict.job.world_size.value_or(1) > 1) {
    return fmt::format("the command still ran with {} ranks", *control.verdict.job.world_size);
  }
  const bool fell_silent = control.verdict.findings.empty();
  if (control.timed_out && fell_silent)
    return fmt::format("the control run {}; give it longer with --timeout", control.end_in_words);
  if (control.status != 0 && fell_silent)
    return fmt::format("the control run {} and printed nothing that tells why", control.end_in_words);
  return std::nullopt;
}

Comparison without_job(const ControlRun& control) {
  Comparison comparison{Outcome::kNoFaultAlone, "", control.verdict};
  if (control.verdict.findings.empty()) {
    comparison.statement = fmt::format(
        "No fault with one rank: it {}. If the job fails with more ranks, its fault is distributed.",
        control.end_in_words);
    return comparison;
  }
  comparison.outcome = Outcome::kFaultAlone;
  comparison.statement = fmt::format(
      "One rank alone fails too: {}. Whether that is the job's fault is open: --against PATH compares it "
      "with what the job left.",
      control.verdict.findings.front().title);
  return comparison;
}

Comparison gone(const ControlRun& control, const Verdict& job) {
  Comparison comparison{Outcome::kGone, "", job};
  Finding& fault = comparison.verdict.findings.front();
  comparison.statement =
      fmt::format("The fault is gone with one rank, so it is distributed: {}. One rank alone {}.",
                  fault.title, control.end_in_words);
  prove(fault, Scope::kDistributed,
        fmt::format("with one rank alone the fault is gone, and the command {}.", control.end_in_words));
  fault.evidence.push_back(end_of(control));
  return comparison;
}

Comparison remains(const Finding& seen, const Verdict& job, std::size_t which) {
  Comparison comparison{Outcome::kRemains, "", job};
  std::vector<Finding>& findings = comparison.verdict.findings;
  std::rotate(findings.begin(), findings.begin() + static_cast<std::ptrdiff_t>(which),
              findings.begin() + static_cast<std::ptrdiff_t>(which) + 1);
  Finding& fault = findings.front();
  comparison.statement = fmt::format("The fault remains with one rank, so it is ordinary: {}.", fault.title);
  prove(fault, Scope::kOrdinary, "the fault remains with one rank alone.");
  std::ranges::copy(seen.evidence, std::back_inserter(fault.evidence));
  if (which > 0) {
    comparison.verdict.limits.push_back(fmt::format(
        "the control run ended with this fault, so it says nothing about '{}'", findings[1].title));
  }
  return comparison;
}

Comparison another(const ControlRun& control, const Verdict& job) {
  Comparison comparison{Outcome::kAnother, "", job};
  Finding other = control.verdict.findings.front();
  comparison.statement = fmt::format(
      "Inconclusive: with one rank something else failed first: {}. "
      "The job's fault ({}) could not appear.",
      other.title, job.findings.front().title);
  comparison.verdict.findings.push_back(std::move(other));
  return comparison;
}

}  // namespace

std::string_view id_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kRemains:
      return "remains";
    case Outcome::kGone:
      return "gone";
    case Outcome::kAnother:
      return "another";
    case Outcome::kFaultAlone:
      return "fault_alone";
    case Outcome::kNoFaultAlone:
      return "no_fault_alone";
    case Outcome::kCannotSay:
      return "cannot_say";
  }
  return "cannot_say";
}

Comparison compare(const ControlRun& control, const std::optional<Verdict>& job) {
  if (const auto why = objection(control)) return cannot_say(control, job, *why);
  if (!job) return without_job(control);
  if (job->findings.empty()) return cannot_say(control, job, "nothing wrong was found in what the job left");
  if (control.verdict.findings.empty()) return gone(control, *job);
  const Finding& seen = control.verdict.findings.front();
  const auto same = std::ranges::find_if(
      job->findings, [&](const Finding& finding) { return is_same_fault(finding, seen); });
  if (same == job->findings.end()) return another(control, *job);
  return remains(seen, *job, static_cast<std::size_t>(same - job->findings.begin()));
}

}  // namespace lockstep::isolate
