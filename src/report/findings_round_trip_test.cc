// encode_findings and decode_findings undo each other for every verdict, not only for the samples.
#include <rapidcheck.h>
#include <set>

#include <gtest/gtest.h>

#include "base/escape.h"
#include "report/findings_json.h"
#include "report/testdata/sample_verdicts.h"

namespace lockstep::report {
namespace {

std::string any_text() {
  return base::to_valid_utf8(*rc::gen::arbitrary<std::string>());
}

std::vector<std::string> any_texts() {
  std::vector<std::string> texts(*rc::gen::inRange<std::size_t>(0, 4));
  for (std::string& text : texts) text = any_text();
  return texts;
}

int any_count() {
  return *rc::gen::inRange(0, std::numeric_limits<int>::max());
}

std::vector<int> any_ranks() {
  const auto ranks = *rc::gen::container<std::set<int>>(rc::gen::inRange(0, 64));
  return {ranks.begin(), ranks.end()};
}

template <typename T>
std::optional<T> maybe(T value) {
  return *rc::gen::arbitrary<bool>() ? std::optional<T>(value) : std::nullopt;
}

model::Evidence any_evidence() {
  using model::EvidenceLevel;
  return {any_text(), maybe<std::int64_t>(any_count()), maybe(any_count()), any_text(),
          *rc::gen::element(EvidenceLevel::kSeen, EvidenceLevel::kInferred, EvidenceLevel::kAbsence)};
}

model::Fix any_fix() {
  const auto patterns = model::all_fix_patterns();
  return {patterns[*rc::gen::inRange<std::size_t>(0, patterns.size())].pattern, any_text(), any_texts(),
          any_texts()};
}

model::Finding any_finding() {
  using model::Scope;
  model::Finding finding;
  finding.leaf = model::all_leaves()[*rc::gen::inRange<std::size_t>(0, 30)].leaf;
  finding.code = any_text();
  finding.scope = *rc::gen::element(Scope::kDistributed, Scope::kOrdinary, Scope::kUnknown);
  finding.confidence = any_count() / static_cast<double>(std::numeric_limits<int>::max());
  finding.root_ranks = any_ranks();
  finding.victim_ranks = any_ranks();
  finding.title = any_text();
  finding.explanation = any_text();
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) finding.evidence.push_back(any_evidence());
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) finding.fixes.push_back(any_fix());
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i)
    finding.places.push_back({any_text(), any_count(), any_text(), any_ranks()});
  finding.consequence_of = any_text();
  return finding;
}

model::Verdict any_verdict() {
  model::Verdict verdict;
  verdict.job = {any_text(), any_text(), maybe(any_count()), maybe(any_count()), any_ranks()};
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) verdict.findings.push_back(any_finding());
  verdict.limits = any_texts();
  return verdict;
}

TEST(FindingsRoundTrip, GivesEveryVerdictBack) {
  EXPECT_TRUE(rc::check("decode(encode(v)) == v", [] {
    const model::Verdict verdict = any_verdict();
    const auto decoded = decode_findings(encode_findings(verdict), "-");
    RC_ASSERT(decoded.ok());
    RC_ASSERT((decoded.value() == verdict));
  }));
}

TEST(FindingsRoundTrip, GivesTheSamplesBack) {
  for (const model::Verdict& verdict : {missing_rank_verdict(), nothing_wrong_verdict(), model::Verdict{}}) {
    const auto decoded = decode_findings(encode_findings(verdict), "-");
    ASSERT_TRUE(decoded.ok()) << decoded.error().why;
    EXPECT_TRUE(decoded.value() == verdict);
  }
}

TEST(FindingsRoundTrip, ReplacesBytesThatAreNotUtf8) {
  EXPECT_TRUE(rc::check("any bytes", [](const std::string& bytes) {
    model::Verdict verdict;
    verdict.limits = {bytes};
    const auto decoded = decode_findings(encode_findings(verdict), "-");
    RC_ASSERT(decoded.ok());
    RC_ASSERT(decoded.value().limits.at(0) == base::to_valid_utf8(bytes));
  }));
}

TEST(RoundTrip, DecisionsAreThereWhereSomebodyAskedForThem) {
  model::Verdict verdict = missing_rank_verdict();
  EXPECT_EQ(encode_findings(verdict).find("decisions"), std::string::npos);
  verdict.decisions.emplace();
  EXPECT_EQ(decode_findings(encode_findings(verdict), "none").value().decisions, verdict.decisions);
  for (const std::string_view id : outcome_ids()) {
    verdict.decisions->push_back({.rule = "killed_process",
                                  .finding = model::codes::kKilled,
                                  .outcome = *outcome_with_id(id),
                                  .other = model::codes::kDeadRank,
                                  .reason = "why"});
  }
  verdict.decisions->back().other = {};
  EXPECT_EQ(decode_findings(encode_findings(verdict), "all").value().decisions, verdict.decisions);
}

}  // namespace
}  // namespace lockstep::report
