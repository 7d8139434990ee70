// Where the judges of ranks draw their lines: each with its unit, the reason, and the test that fails when it
// moves.
//
// Those of timing were chosen with the simulated jobs of timing/straggler_simulation_test, a thousand healthy
// ones without an alarm, and hold in the fault lab (docs/lab.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::ranks {

// --- hang

// Events from the end of a rank's record. Whoever waits issued little after the call it waits in.
// Held by Wait.AJoinIsAmongTheLastEventsOfWhoWaitsInIt.
inline constexpr std::size_t kLastEvents = 256;

// Collectives. Ranks that only lag are closer than this to the others; a rank that begins again is farther.
// Held by HangFinding.ARankRestartedAloneIsClearlyBehind.
inline constexpr std::uint64_t kClearlyLater = 10;

// --- mismatch

// Calls compared behind a mismatch to see whether one rank is a call ahead: enough to tell, and no matter
// later.
inline constexpr std::size_t kCallsCompared = 8;

// Collectives before a mismatch that show what is usually called.
inline constexpr std::size_t kHabitMeetings = 64;
// Calls of one rank that show its habit: some thousand steps. Held by Habit.LooksFurtherBackThanTheLastStep.
inline constexpr std::size_t kHabitCalls = 20'000;
// That must have happened before in the same order. Held by Habit.IsNotKnownInTheFirstSteps.
inline constexpr std::size_t kCallsOfAHabit = 4;

// Nanoseconds from the last arrival in which a library that compares calls refuses them; a timeout takes
// longer. Held by Mismatch.FailedAtOnceIsRefusedAndFailedLaterIsAHang.
inline constexpr std::int64_t kRefusedWithinNs = 10'000'000'000;

// --- timing: slow ranks and hosts

// A share of the time. Below the 5 % that are to be found, above what ranks that are equal on paper differ
// by. Held by StragglerSimulation.AThousandHealthyJobsGiveNoAlarm.
inline constexpr double kMinLostShare = 0.03;

// Nanoseconds in all. Programs of a few seconds have ranks that differ, and nobody who would want to know.
// Held by StragglerFinding.IsSilentAboutAFewMilliseconds.
inline constexpr double kMinLostNs = 0.5e9;

// Windows with a comparison; more behind a rise, as the best of many places to begin was looked for.
inline constexpr std::size_t kMinWindows = 16;
inline constexpr std::size_t kMinWindowsAfterRise = 24;

// Standard errors from a coin that falls on either side as often.
inline constexpr double kMinSignSignificance = 4;

// Times the spread of the faster half of its peers; of fewer peers than four the spread says nothing.
inline constexpr double kMinPeerSpreads = 5;
inline constexpr std::size_t kMinPeersForSpread = 4;

// Nanoseconds. On a machine that others use, one rank loses less than a slice of the scheduler in a step for
// seconds on end. Held by Straggler.IsSilentAboutLessThanASliceOfTheSchedulerForAFewSeconds.
inline constexpr double kSchedulerSliceNs = 1e6;
inline constexpr double kLongerThanTheSchedulerNs = 1e10;

// Of the time, and standard errors: plain to see, so told with more confidence.
inline constexpr double kPlainLostShare = 0.1;
inline constexpr double kPlainSignificance = 10;

// Meetings of a communicator, and the windows they are cut into. Held by Straggler.NeedsTwentyCollectives.
inline constexpr std::size_t kMinMeetingsToCompare = 20;
inline constexpr std::size_t kMaxWindows = 100;

// --- timing: slow links

// Transfers on a way. Held by SlowLink.IsSilentWhereHostsAreUnknownOrMessagesFew.
inline constexpr std::size_t kMinTransfers = 20;

// Other ways like it, to know what is usual.
inline constexpr std::size_t kMinLinksAlike = 3;

// Times as long as usual. Half as long again is within what neighbours on a switch differ by.
inline constexpr double kMinTimesSlower = 2;

// --- timing: work that grows

// Collectives, and nanoseconds: a shorter run warms up rather than grows.
inline constexpr std::size_t kMinCollectivesToGrow = 200;
inline constexpr double kMinSpanToGrowNs = 5e9;

// Times the work at the beginning, over the run and over each half. Held by GrowingWork.IsNotToldOfALittle.
inline constexpr double kMinGrowth = 2;
inline constexpr double kMinGrowthOfHalf = 1.25;

// Of all pairs of parts, those whose later one has more work. Noise has half of them; a machine that others
// begin to use has three quarters, and comes in one leap. No test holds it alone: a leap has no growth of
// both halves either.
inline constexpr double kMinInOrder = 0.85;

// --- timing: exposed communication

// Of the time, without what stragglers cost. Held by CommunicationTimeFinding.IsSilentWhenWorkPrevails.
inline constexpr double kMinExposed = 0.3;

// Nanoseconds. Who runs a job for less than a minute does not ask how well it scales.
// Held by CommunicationTimeFinding.IsSilentAboutShortJobs.
inline constexpr double kMinSpanToScaleNs = 60e9;

// Collectives of a rank. Held by CommunicationTime.NeedsTwentyCollectives.
inline constexpr std::size_t kMinCollectivesToTime = 20;

// --- correctness

// Steps without a collective: methods that average seldom still do so within that many.
// Held by LoneSteps.AFewStepsSayNothing.
inline constexpr std::uint64_t kMinLoneSteps = 20;

// Steps in which models differ, and times as many as ever before: who averages from time to time agrees
// again. Held by ModelDrift.IsSilentAboutTheLastFewSteps and
// ModelDrift.IsSilentAboutModelsThatAreAveragedFromTimeToTime.
inline constexpr std::size_t kMinDriftSteps = 4;
inline constexpr std::size_t kLongerThanBefore = 2;

// Reductions with equal inputs, and different values over time: what never changes is no gradient.
// Held by SameInputs.WhatNeverChangesIsNoGradient.
inline constexpr std::size_t kMinEqualMeetings = 8;
inline constexpr std::size_t kMinDifferentInputs = 4;

// Steps: a job that trains. Elements: counts and flags are the same by right.
// Held by SameInputs.SmallTensorsAndCountsMayBeTheSame.
inline constexpr std::uint64_t kMinTrainingSteps = 4;
inline constexpr std::int64_t kMinElements = 32;

}  // namespace lockstep::ranks
