// Where progress lines alone, or their absence, begin to tell of trouble: each with its unit, the reason, and
// the test that fails when it moves. The thresholds of the judge stand at the top of judge.cc, as they are
// probabilities of its model.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::logs {

inline constexpr std::int64_t kMinuteNs = 60'000'000'000;

// --- a log that stopped before the others

// Logs with a clock. Of two the one that ended first may just be the shorter one.
// Held by StoppedLog.NeedsTimesInAllAndThreeOfThem.
inline constexpr std::size_t kMinStoppedLogs = 3;

// Nanoseconds, and times what the others differ by: logs of ranks that work together end within seconds.
// Held by StoppedLog.IsNoneWhereAllEndTogether.
inline constexpr std::int64_t kMinStopNs = kMinuteNs;
inline constexpr std::int64_t kStopTimesSpread = 4;

// --- steps that stopped before a time limit

// Steps with a clock: fewer show no pace. Held by SilentUntil.NeedsStepsThatShowAPace.
inline constexpr std::size_t kMinPacedSteps = 3;

// Nanoseconds, and times the longest pause between steps: checkpoints and evaluations pause as well.
// Held by SilentUntil.ALongPauseBetweenStepsMayComeAgain and SilentUntil.MinutesBeforeTheLimitAreNoHang.
inline constexpr std::int64_t kMinSilenceNs = 10 * kMinuteNs;
inline constexpr std::int64_t kSilenceTimesPause = 10;

// Nanoseconds. Clocks of other time zones lie whole half hours apart; such a silence proves nothing.
// Held by SilentUntil.TheLimitIsAHangWhereStepsStoppedLongBefore.
inline constexpr std::int64_t kZoneStepNs = 30 * kMinuteNs;

// --- rates and losses

// Points of a series, and of its last part, which decides: one slow step is a checkpoint.
// Held by Progress.ARateThatFallsAndStaysLow.
inline constexpr std::size_t kMinPoints = 5;
inline constexpr std::size_t kMinPointsOfPart = 3;

// Of the usual rate: a machine that is shared halves it, a fault does worse.
// Held by Progress.ARateThatFallsAndStaysLow and Progress.ManyRatesMayHoldAFewWildOnes.
inline constexpr double kFallenRate = 0.4;

// Points from which on the middle of the last part decides: of many some are wild.
// Held by Progress.ManyRatesMayHoldAFewWildOnes.
inline constexpr std::size_t kManyPoints = 100;

// Times what the loss had come down to; and how far it may jump about before nothing is said.
// Held by Progress.ALossThatRisesAndStaysHigh.
inline constexpr double kRisenLoss = 2;
inline constexpr double kCalmLoss = 1.5;

// Points at each end of a log, how many of them are the beginning and the end, and times as high: a diverging
// loss grows by a factor in each step. Held by Progress.ALossThatGrowsWithoutBound.
inline constexpr std::size_t kMinPointsToGrow = 16;
inline constexpr std::size_t kPointsAtAnEnd = 4;
inline constexpr double kGrownLoss = 100;

// --- devices

// Of the rate per device with fewest devices: a tenth or two go into communication anywhere.
// Held by Judge.MoreDevicesThatEachDoMuchLess.
inline constexpr double kPoorScaling = 0.7;

// Per cent of a GPU's time. Where the idle one was never used at all, the others need not be busy to show it.
// Held by Judge.AnUntouchedGpuBesideAModeratelyBusyOneIsIdle.
inline constexpr double kIdleGpu = 10;
inline constexpr double kBusyGpu = 50;
inline constexpr double kBusyBesideUnusedGpu = 15;

// Of a GPU's memory: below the one no process ever made a context on it, above the other a process fills it
// and waits. Held by Judge.AnUntouchedGpuBesideAModeratelyBusyOneIsIdle.
inline constexpr double kUnusedMemory = 0.02;
inline constexpr double kTakenMemory = 0.3;

}  // namespace lockstep::logs
