#include "report/findings_json.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/testdata/sample_verdicts.h"

namespace lockstep::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string why_not(std::string_view text) {
  const auto decoded = decode_findings(text, "f.json");
  if (decoded.ok()) return "it was decoded";
  EXPECT_EQ(decoded.error().where, "f.json");
  return decoded.error().why;
}

// A document with one finding, of which one member is replaced (the later of two equal names counts).
std::string with_member(const std::string& member) {
  return R"({"schema": "lockstep-findings-v1", "findings": [{"leaf": "RUN-MEM", "code": "c", "scope": "unknown",
             "confidence": 0.5, "title": "t", )" +
         member + "}]}";
}

TEST(EncodeFindings, WritesTheContractsMembersInOrder) {
  expect_golden("missing_rank.json", encode_findings(missing_rank_verdict()));
  expect_golden("nothing_wrong.json", encode_findings(nothing_wrong_verdict()));
}

TEST(EncodeFindings, LetsNoTerminalCodeThrough) {
  const std::string text = encode_findings(hostile_verdict());
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\xC2\x9B")));
  EXPECT_THAT(text, HasSubstr("\\u009b31m \\u202e \xEF\xBF\xBD\xEF\xBF\xBD"));
  expect_golden("hostile.json", text);
}

TEST(EncodeFindings, WritesAConfidenceThatCanBeReadAgain) {
  model::Verdict verdict = missing_rank_verdict();
  verdict.findings[0].confidence = std::numeric_limits<double>::quiet_NaN();
  const auto decoded = decode_findings(encode_findings(verdict), "-");
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded.value().findings[0].confidence, 0.0);
}

TEST(DecodeFindings, NeedsOnlyTheRequiredMembers) {
  const auto decoded = decode_findings(with_member(R"("fixes": [{"pattern": "other", "title": "f"}])"), "-");
  ASSERT_TRUE(decoded.ok()) << decoded.error().why;
  EXPECT_EQ(decoded.value().findings[0].leaf, model::Leaf::kRunMem);
  EXPECT_EQ(decoded.value().job, model::JobSummary{});
}

TEST(DecodeFindings, IgnoresMembersItDoesNotKnow) {
  EXPECT_TRUE(decode_findings(with_member(R"("new": {"deep": [1, null, {}]})"), "-").ok());
}

TEST(DecodeFindings, PutsRanksInOrder) {
  const auto decoded = decode_findings(with_member(R"("root_ranks": [7, 2, 7, 0, 2147483647])"), "-");
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded.value().findings[0].root_ranks, (std::vector<int>{0, 2, 7, 2147483647}));
}

TEST(DecodeFindings, NamesTheMemberThatIsWrong) {
  EXPECT_EQ(why_not("[]"), "the document is of type array, not an object");
  EXPECT_EQ(why_not("{}"), "schema is missing");
  EXPECT_EQ(why_not(R"({"schema": "lockstep-findings-v2"})"), "schema is not \"lockstep-findings-v1\"");
  EXPECT_EQ(why_not(R"({"schema": "lockstep-findings-v1"})"), "findings is missing");
  EXPECT_EQ(why_not(with_member(R"("leaf": "PERF-HNAG")")),
            "findings[0].leaf is \"PERF-HNAG\", which is not a known id");
  EXPECT_EQ(why_not(with_member(R"("leaf": "\u001b[2J")")),
            "findings[0].leaf is \"\\x1b[2J\", which is not a known id");
  EXPECT_EQ(why_not(with_member(R"("scope": 3)")), "findings[0].scope is of type number, not a string");
  EXPECT_EQ(why_not(with_member(R"("title": null)")), "findings[0].title is of type null, not a string");
  EXPECT_EQ(why_not(with_member(R"("evidence": [{"file": "a", "text": "b"}, {"text": "b"}])")),
            "findings[0].evidence[1].file is missing");
  EXPECT_EQ(why_not(with_member(R"("fixes": [{"pattern": "magic", "title": "t"}])")),
            "findings[0].fixes[0].pattern is \"magic\", which is not a known id");
  EXPECT_EQ(why_not(with_member(R"("fixes": {})")), "findings[0].fixes is of type object, not an array");
}

TEST(DecodeFindings, SuggestsTheIdThatWasMeant) {
  const auto decoded = decode_findings(with_member(R"("leaf": "PERF-HNAG")"), "-");
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.error().hint, "did you mean PERF-HANG?");
}

TEST(DecodeFindings, RefusesNumbersOutOfRange) {
  const std::string not_a_rank = "findings[0].root_ranks[0] is not between 0 and 2147483647";
  EXPECT_EQ(why_not(with_member(R"("root_ranks": [-1])")), not_a_rank);
  EXPECT_EQ(why_not(with_member(R"("root_ranks": [2147483648])")), not_a_rank);
  EXPECT_EQ(why_not(with_member(R"("root_ranks": [18446744073709551615])")), not_a_rank);
  EXPECT_EQ(why_not(with_member(R"("root_ranks": [99999999999999999999])")),
            "findings[0].root_ranks[0] is of type number, not an integer");
  EXPECT_EQ(why_not(with_member(R"("confidence": 1.01)")), "findings[0].confidence is not between 0 and 1");
  EXPECT_EQ(why_not(with_member(R"("confidence": -1e308)")), "findings[0].confidence is not between 0 and 1");
  EXPECT_EQ(why_not(with_member(R"("confidence": 1e999)")), "a number is too large");
  EXPECT_EQ(why_not(with_member(R"("evidence": [{"file": "", "text": "", "line": 9223372036854775808}])")),
            "findings[0].evidence[0].line is not between 0 and 9223372036854775807");
}

TEST(DecodeFindings, RefusesWhatIsNotJson) {
  EXPECT_THAT(why_not(""), HasSubstr("line 1"));
  EXPECT_THAT(why_not(with_member(R"("confidence": NaN)")), HasSubstr("line 2"));
  EXPECT_THAT(why_not("{\"schema\": \"\xFF\"}"), HasSubstr("line 1"));
  EXPECT_THAT(why_not(with_member("\"x\": " + std::string(100'000, '['))), HasSubstr("more than 64 levels"));
}

TEST(DecodeFindings, SurvivesACutAtEveryByte) {
  const std::string whole = encode_findings(missing_rank_verdict());
  const std::size_t end = whole.rfind('}');
  for (std::size_t length = 0; length <= end; ++length) {
    EXPECT_FALSE(decode_findings(std::string_view(whole).substr(0, length), "-").ok());
  }
}

}  // namespace
}  // namespace lockstep::report
