#include "diagnose/ranks/confidence.h"

#include <gtest/gtest.h>

namespace lockstep::ranks {
namespace {

#define LOCKSTEP_ROW(way, code, value, reason) confidence::way,
constexpr Confidence kRows[] = {LOCKSTEP_RANK_CONFIDENCES(LOCKSTEP_ROW)};
#undef LOCKSTEP_ROW

TEST(Confidence, HasAReasonAndLeavesADoubt) {
  for (const Confidence& row : kRows) {
    EXPECT_GT(row.value, 0) << row.code.text;
    EXPECT_LT(row.value, 0.98) << row.code.text << ": no record proves everything";
    EXPECT_GT(row.reason.size(), 20U) << row.code.text;
  }
}

// What is seen is surer than what is missing, a majority than a tie, a proof than a snapshot.
TEST(Confidence, GrowsWithWhatTheRecordsSay) {
  using namespace confidence;
  EXPECT_GT(kMissingRankSeen, kMissingRankLost);
  EXPECT_GT(kMissingRankLost, kMissingRankOneWaits);
  EXPECT_GT(kMissingRankOneWaits, kMissingEvidence);
  EXPECT_GT(kMissingEvidence, kMostLeftNothing);
  EXPECT_GT(kStuckOnSome, kStuckOnAll);
  EXPECT_GT(kStuckOnAll, kTooLittleKnown);
  EXPECT_GT(kUnmatchedSeen, kUnmatchedAbsent);
  EXPECT_GT(kMismatchPending, kMismatchCompleted);
  EXPECT_GT(kMismatchCompleted, kMismatchTie);
  EXPECT_GT(kMismatchMessage, kMismatchUnnumbered);
  EXPECT_GT(kStragglerPlain, kStragglerSlight);
  EXPECT_GT(kOutputsDiffer, kOutputsDifferTie);
  EXPECT_GT(kModelsDiffer, kModelsDifferTie);
  EXPECT_GT(kVersionsDifferInSetup, kMissingRankSeen) << "it explains why they wait";
}

TEST(Confidence, StaysOnItsSideOfTheArbitration) {
  using namespace confidence;
  constexpr double kClear = 0.5;
  constexpr double kProof = 0.6;
  constexpr double kNamesTheOddOne = 0.9;
  for (const double hint : {kMostLeftNothing.value, kTooLittleKnown.value, kExposedCommunication.value})
    EXPECT_LT(hint, kClear) << "then more is asked for";
  for (const double snapshot : {kStuckStacks.value, kSlowLink.value, kVersionsDifferBeside.value})
    EXPECT_LT(snapshot, kProof) << "a printed complaint is not folded into it";
  for (const double wait : {kMissingRankSeen.value, kMissingEvidence.value, kStuckOnAll.value, kCircle.value,
                            kUnmatchedAbsent.value, kLaggingCounter.value, kFailedFirst.value})
    EXPECT_GE(wait, kProof);
  EXPECT_GE(kMismatchCompleted, kNamesTheOddOne);
  EXPECT_LT(kMismatchTie, kNamesTheOddOne) << "of two ranks neither is the odd one";
}

}  // namespace
}  // namespace lockstep::ranks
