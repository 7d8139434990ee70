// How sure each judge of ranks is of what it finds: one row for each finding, or for each way to it where
// ways differ.
//
// None of these is fitted, as those of logs are: there are too few recorded jobs of each fault. They say how
// much the records leave open. From 0.9 on nothing that another rank's record could still change; around 0.85
// the fault is certain, and who began it or why is inferred; from 0.5 to 0.7 another reading is left; below
// 0.5 it is a hint. docs/lab.md counts how often the first finding of a recorded job is right, over all rows.
//
// The arbitration compares them with those of logs (diagnose/arbitrate/weigh.h): a row that crosses 0.5, 0.6
// or 0.9 changes which finding is first. Confidence.StaysOnItsSideOfTheArbitration holds them there.
#pragma once

#include <string_view>

#include "model/finding_code.h"

namespace lockstep::ranks {

struct Confidence {
  model::KnownCode code;  // the usual one: hangs and mismatches of a kind share a row
  double value;
  std::string_view reason;

  // NOLINTNEXTLINE(google-explicit-constructor): a confidence is its value
  constexpr operator double() const { return value; }
};

#define LOCKSTEP_RANK_CONFIDENCES(X)                                                                         \
  /* hang */                                                                                                 \
  X(kMissingRankSeen, kMissingRank, 0.95, "several members are in it, and its own record shows it is not")   \
  X(kMissingRankOneWaits, kMissingRank, 0.85, "one member alone is in it: it may be the one that is wrong")  \
  X(kMissingRankLost, kMissingRank, 0.9, "and its record shows that it died, stopped or failed")             \
  X(kMissingEvidence, kMissingEvidence, 0.7, "no record is no proof: it may have been lost")                 \
  X(kMostLeftNothing, kMissingEvidence, 0.3, "more members left nothing than are seen to wait")              \
  X(kDiedInside, kDeadRank, 0.95, "all came, and one of them is seen to be gone or stopped")                 \
  X(kStuckOnSome, kStuckInCollective, 0.8, "some finished: whether kernel or transport is stuck stays open") \
  X(kStuckOnAll, kStuckInCollective, 0.7, "all came alike: a slow call looks the same for a while")          \
  X(kTooLittleKnown, kStuckInCollective, 0.4, "the records do not reach back to whether the others came")    \
  X(kExtraCollective, kExtraCollective, 0.85, "the others went on: they may also have skipped it")           \
  X(kCircle, kOrderInversion, 0.95, "each waits for the next in a circle, however long one waits")           \
  X(kUnmatchedSeen, kUnmatchedReceive, 0.9, "the partner's record shows that it never posted its end")       \
  X(kUnmatchedAbsent, kUnmatchedReceive, 0.7, "the partner left no record of that time")                     \
  X(kLaggingCounter, kLaggingCounter, 0.6, "a snapshot of a job that runs well could look the same")         \
  X(kCommunicatorNotMade, kSetupCommunicatorNotMade, 0.85, "its list of groups lacks one: lists may be cut") \
  X(kRankNotStarted, kSetupRankNotStarted, 0.65, "no sign of it at all: it may as well be slow to start")    \
  X(kRankSeenAbsent, kSetupRankNotStarted, 0.95, "its process has ended, or none was ever started")          \
  X(kRanksDisagree, kSetupRanksDisagree, 0.97, "what each was told is recorded, and differs")                \
  X(kRanksDisagreeOnNames, kSetupRanksDisagree, 0.75, "a host may have several addresses")                   \
  X(kSameRankTwice, kSetupSameRankTwice, 0.97, "both processes are alive and meet at one place")             \
  X(kStuckStacks, kStuckInCollective, 0.55, "stacks of one moment cannot tell stuck from slow")              \
  /* mismatch */                                                                                             \
  X(kMismatchPending, kMismatchShape, 0.97, "both calls are recorded, differ, and wait for each other")      \
  X(kMismatchCompleted, kMismatchShape, 0.9, "both calls are recorded and differ, and ended all the same")   \
  X(kMismatchTie, kMismatchShape, 0.7, "as many ranks call the one as the other")                            \
  X(kMismatchSameSize, kMismatchShape, 0.6, "of equally many elements: some programs mean that")             \
  X(kMismatchExchange, kMismatchExchange, 0.85, "the sums differ; which rank is odd is not recorded")        \
  X(kMismatchMessage, kMismatchMessage, 0.85, "the two ends of one numbered message differ")                 \
  X(kMismatchUnnumbered, kMismatchMessage, 0.6, "the two ends are paired without a number")                  \
  /* timing */                                                                                               \
  X(kStragglerPlain, kStragglerRank, 0.9, "a tenth of the time or more, ten standard errors from chance")    \
  X(kStragglerSlight, kStragglerRank, 0.75, "beyond chance and small: other causes can hide behind it")      \
  X(kSlowLink, kStragglerLink, 0.5, "a transfer's time contains waiting that cannot always be told apart")   \
  X(kExposedCommunication, kCommunicationExposed, 0.4, "true of many jobs that run as well as they can")     \
  X(kGrowingWork, kSlowRateFalls, 0.7, "longer inputs later in a run grow the work too")                     \
  /* correctness */                                                                                          \
  X(kOutputsDiffer, kDivergenceOutputsDiffer, 0.95, "one result should be on all ranks, and most agree")     \
  X(kOutputsDifferTie, kDivergenceOutputsDiffer, 0.85, "they differ, and no majority says who is right")     \
  X(kModelsDiffer, kDivergenceParametersDiffer, 0.95, "one model should be on all ranks, and most agree")    \
  X(kModelsDifferTie, kDivergenceParametersDiffer, 0.85, "they differ, and no majority says who is right")   \
  X(kLoneSteps, kParallelLoneSteps, 0.85, "steps without a collective: some methods mean that")              \
  X(kSameInputs, kParallelSameInputs, 0.85, "equal values again and again: constant data has them too")      \
  X(kWorldOfOne, kWorldOfOne, 0.9, "several processes at one time, each rank 0 of 1")                        \
  X(kVersionsDifferBeside, kVersionsDiffer, 0.5, "they differ, and nothing shows that it did harm")          \
  X(kVersionsDifferInSetup, kVersionsDiffer, 0.96, "such releases meet and wait: no rank got past set-up")   \
  /* ends */                                                                                                 \
  X(kFailedFirst, kProcessFailed, 0.6, "the first to fail by its clock, and clocks differ between hosts")

namespace confidence {
#define LOCKSTEP_CONFIDENCE(way, code, value, reason) \
  inline constexpr Confidence way{model::codes::code, value, reason};
LOCKSTEP_RANK_CONFIDENCES(LOCKSTEP_CONFIDENCE)
#undef LOCKSTEP_CONFIDENCE
}  // namespace confidence

}  // namespace lockstep::ranks
