// What the judge of a running job judges by: each bound with its unit, its reason and the test that holds it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lockstep::watch {

inline constexpr std::int64_t kMillisecondNs = 1'000'000;
inline constexpr std::int64_t kSecondNs = 1'000'000'000;

// How long somebody may be waited for (suspicion).

// Those who are on their way to the same end arrive within this time of each other.
// Patience.IsShortWithOneWhoCannotCome
inline constexpr std::int64_t kLostPatienceNs = 300 * kMillisecondNs;
// A circle needs a few looks more: its members may still leave calls that they do not wait for.
// Patience.IsShortWithOneWhoCannotCome
inline constexpr std::int64_t kCirclePatienceNs = 500 * kMillisecondNs;
// First collectives build connections and compile, for many seconds on large jobs.
// Patience.IsLongWhileAJobIsNotKnown
inline constexpr std::int64_t kUnknownPatienceNs = 30 * kSecondNs;
// Rank 0 evaluates, saves or compiles for 7 to 20 s in daily life, and may wait for a disk meanwhile.
// Patience.OutlastsAPause
inline constexpr std::int64_t kIdlePatienceNs = 21 * kSecondNs;
// One that computes may have a longer step than all before: a garbage collection, an odd batch.
// Patience.OutlastsAPause
inline constexpr std::int64_t kBusyPatienceNs = 25 * kSecondNs;
// Checkpoints and evaluations take minutes. Patience.OutlastsAPause
inline constexpr std::int64_t kExcusedPatienceNs = 120 * kSecondNs;
// While ranks look for each other (set_up_watch). A look reads the environment of every process of the host.
// SetUpWatch.SaysWhoWasNotStarted
inline constexpr std::int64_t kSetUpLookNs = kSecondNs;
// Without a new rank and a new process: launchers start the next one within moments, and what a script does
// between two starts is seen. SetUpWatch.SaysWhoWasNotStarted
inline constexpr std::int64_t kNobodyComesNs = 4 * kSecondNs;
// For ranks that may be on another host, which people start one after another.
// SetUpWatch.SaysWhoWasNotStarted
inline constexpr std::int64_t kElsewherePatienceNs = 15 * kSecondNs;
// Of a disagreement that ends a job at once. SetUpWatch.SaysWhoWasNotStarted
inline constexpr double kSureConfidence = 0.9;
// Times the longest wait of the job so far: what happened before may happen again, and somewhat worse.
// Patience.GrowsWithWhatIsUsualInTheJob
inline constexpr std::int64_t kPatiencePerUsualWait = 2;
// Meetings after which the waits of a job count as known: the first ones connect and compile.
// Patience.IsLongWhileAJobIsNotKnown
inline constexpr std::uint64_t kMeetingsToKnowAJob = 20;

// What a process does that others wait for (suspicion).

// Time between two looks at its processor time, which the kernel counts in ticks of 10 ms.
// WatchedJob.ALateRankHangsInTheEnd
inline constexpr std::int64_t kIdleLookNs = 2 * kSecondNs;
// Share of a core: threads that look after connections wake now and then. DoesNothing.IsMeasuredByOneWhoWaits
inline constexpr double kIdleShare = 0.05;
// One who waits and uses more spins, so its share tells nothing of idleness.
// DoesNothing.IsMeasuredByOneWhoWaits
inline constexpr double kMaxWaitingShare = 0.15;
// Ranks differ in what such threads take. DoesNothing.IsMeasuredByOneWhoWaits
inline constexpr double kIdlePerWaitingShare = 1.5;
// Silence after which asking /proc is worth a file for each rank, and a stopped rank is taken for stopped: a
// debugger stops ranks for moments. WatchedJob.AStoppedRankIsNamedThoughItSpokeAMomentAgo
inline constexpr std::int64_t kQuietNs = 300 * kMillisecondNs;
// Missing members that are asked: of thousands the first show as much as all. Suspicion.AsksSomeOfThousands
inline constexpr std::size_t kMaxAsked = 64;

// What is judged (live_judge).

// Bytes and events of all ranks together: a judgement takes about a second at most.
// EvidenceShare.OfEachRankShrinksWithTheirNumber
inline constexpr std::size_t kMaxEvidenceBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxEvidenceEvents = 500'000;
// Of one rank: some ten thousand events show what it did lately.
// EvidenceShare.OfEachRankShrinksWithTheirNumber
inline constexpr std::size_t kMaxEvidenceBytesOfARank = std::size_t{1} << 20;
// However many ranks there are: fewer do not hold the last collectives of all communicators.
// EvidenceShare.OfEachRankShrinksWithTheirNumber
inline constexpr std::size_t kMinEvidenceEventsOfARank = 64;
// Age at which a call counts as waiting: members of one collective come within some milliseconds of each
// other. WatchedJob.ARankThatEndedIsNamedAtOnce
inline constexpr std::int64_t kSettledNs = 200 * kMillisecondNs;
// More likely than not: what is said of a running job makes people end it. JudgedLive.SaysOnlyWhatIsLikely
inline constexpr double kMinConfidence = 0.5;

// When it is said (watcher).

// From the first sight of calls that differ: by then those who were on their way have come.
// WatchedJob.CallsThatDoNotFitWaitForThoseOnTheirWay
inline constexpr std::chrono::milliseconds kMismatchSettles{300};
// From being late to hanging: shorter, and --on-hang=kill ends jobs that would have gone on.
// WatchedJob.ALateRankHangsInTheEnd
inline constexpr std::chrono::seconds kGivesUpAfter{45};
// From missing ranks of other hosts: people and schedulers start hosts minutes apart.
// SetUpWatch.SaysWhoWasNotStarted
inline constexpr std::chrono::seconds kGivesUpOnOtherHostsAfter{300};
// Looks for slowness, and how many of them in a row must see the same rank: machines have slow moments.
// Slowness.IsSaidOfWhoIsSlowAgainAndAgain
inline constexpr std::chrono::seconds kSlowInterval{15};
inline constexpr int kTimesSlow = 3;
// On a host whose processors are wanted by more than they have, each rank is slow at times: as many looks
// again. Slowness.NeedsMoreLooksOnACrowdedHost
inline constexpr double kCrowdedPressure = 0.5;
inline constexpr int kTimesSlowWhenCrowded = 8;
// Share of the time that one counter must explain to be the cause (slow_cause).
// SlowCause.IsWhatTheOthersDoNotWaitFor
inline constexpr double kCauseShare = 0.1;
// Pages read back from a disk in a second. SlowCause.IsWhatTheOthersDoNotWaitFor
inline constexpr double kSwappingFaults = 50;
// Its processor time by that of the others. SlowCause.IsWhatTheOthersDoNotWaitFor
inline constexpr double kMoreWorkRatio = 1.2;
// Pause after a judgement, times its length: judging takes a tenth of a core at most.
// Pace.LeavesTheCoreToTheJob
inline constexpr int kPausePerJudgement = 10;

// What is remembered (meetings, live_rank).

// Meetings that somebody has not come to: whoever never comes must not fill the memory.
// Meetings.AreForgottenWhenSomebodyNeverComes
inline constexpr std::size_t kMaxOpenMeetings = std::size_t{1} << 16;
// Places kept beforehand for those who come: a damaged file may claim any size.
// Meetings.BelieveNoSizeOfAFile
inline constexpr std::size_t kMaxExpectedArrivals = std::size_t{1} << 10;
// Of the newest meeting in what is usual for a rank: some ten meetings decide. Meetings.FollowWhatIsUsual
inline constexpr double kNewLatenessShare = 0.1;
// Waits that are remembered: some minutes of most jobs. Meetings.ForgetWaitsThatWereLongAgo
inline constexpr std::uint64_t kMaxWaits = 256;
// Calls of a rank that are never said to be done. WatchedJob.KeepsTheNewestCallsThatNeverEnd
inline constexpr std::size_t kMaxOpenCalls = 4096;
// Notes of adapters: each says a thing once, so that more is damage. WatchedJob.KeepsAFewNotes
inline constexpr std::size_t kMaxNotesOfARank = 16;

// What a person sees (snapshot, step_clock).

// Silence after which a rank is shown in a call that it left to others; longer than kQuietNs, so that the
// view does not flicker. WatchedJob.ShowsAStoppedRankOnceItIsQuiet
inline constexpr std::int64_t kShownQuietNs = 500 * kMillisecondNs;
// Silence of a rank whose process number nobody has any more, before it counts as gone: containers may share
// a host's name and not its numbers, and a rank that lives says something within seconds.
// tests/e2e/first_use_test.py
inline constexpr std::int64_t kAbsentQuietNs = 10 * kSecondNs;
// Over which a share of the time is taken. TimeShare.ForgetsWhatWasLongAgo
inline constexpr std::int64_t kShareWindowNs = 5 * kSecondNs;
// Ends of steps that a rate is taken of. StepClock.TellsTheRateOfTheLastSteps
inline constexpr std::size_t kStepsInRate = 16;
// Usual steps after which the present one slows the rate: it hangs, or is long.
// StepClock.SlowsOnceAStepIsTwiceAsLong
inline constexpr int kStepsToHang = 2;

}  // namespace lockstep::watch
