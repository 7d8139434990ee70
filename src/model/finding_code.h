// What a finding is called: "desync.missing_rank", a family and a name. Codes are stable: people and other
// programs keep lists of them.
//
// The catalogue and other people's findings files bring codes of their own, so a FindingCode is made of any
// text. The codes that this program itself names stand in one table, and decisions ask for a constant of it,
// for a family, or for a property of one: never for a piece of text.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep::model {

// The 30 symptom leaves of the study (Liu, Gu et al., TOSEM 32(6) art. 156, 2023): the coarse classes of
// every finding. Below a leaf stand the finer codes.
enum class Leaf : std::uint8_t {
  kPkgBuild,
  kPkgImport,
  kSetupFail,
  kSetupHang,
  kSetupProto,
  kPrepModel,
  kPrepData,
  kPrepComm,
  kPrepHang,
  kPrepDevice,
  kPrepIter,
  kPrepShard,
  kPrepOther,
  kRunComm,
  kRunMem,
  kRunDevice,
  kRunGraph,
  kRunTensor,
  kRunCkpt,
  kRunSegv,
  kRunAttr,
  kRunPath,
  kRunNotimpl,
  kRunOther,
  kPerfHang,
  kPerfParallel,
  kPerfSlow,
  kPerfResult,
  kPerfConverge,
  kPerfOther,
};

struct LeafEntry {
  Leaf leaf;
  std::string_view id;          // "PERF-HANG", stable
  std::string_view study_code;  // "D.2.1"
  std::string_view name;        // "Hang"
};

std::span<const LeafEntry> all_leaves();  // in the study's order
const LeafEntry& entry_of(Leaf leaf);
std::optional<Leaf> leaf_with_id(std::string_view id);

// Whether it ends the process that meets it: failures of programs, packages and set-up. Whoever ended well
// caught them. A job can suffer from the others without ending: slowness, a slow transport, results, how it
// uses its ranks.
bool is_fatal(Leaf leaf);

// The part before the dot, where something is decided by it.
enum class CodeFamily : std::uint8_t {
  kCheck,         // found before a job runs
  kDeadlock,      // ranks wait for each other
  kDesync,        // ranks wait for one that does not come
  kDivergence,    // results differ between ranks
  kGuess,         // as findings files of before name a guess
  kLeaf,          // a guess at the leaf, from words that no entry of the catalogue knows
  kMismatch,      // calls that do not fit together
  kPointToPoint,  // a message without its other end
  kProcess,       // only how a process ended
  kSetup,         // the ranks did not come together
  kStraggler,     // slow ranks, hosts and links
  kWrapper,       // a launcher repeats that a process failed
  kOther
};

struct FamilyEntry {  // kOther has none
  CodeFamily family;
  std::string_view name;
  bool is_wait = false;  // ranks wait for one another: over, once the job goes on
  bool is_echo = false;  // tells only that something failed: a cause explains it
};

CodeFamily family_of(std::string_view code);

// A row of the table of codes.
struct KnownCode {
  std::string_view text;
  Leaf leaf;  // that of the catalogue's entry; a finding may have another, as hangs do by when they happen

  // NOLINTNEXTLINE(google-explicit-constructor): a known code is its text
  constexpr operator std::string_view() const { return text; }
};

// Every code that is named in code, by alphabet: the constant, the code, its leaf.
#define LOCKSTEP_FINDING_CODES(X)                                             \
  X(kPathMtu, "check.path_mtu", kPerfHang)                                    \
  X(kProbeBlocked, "check.probe_blocked", kSetupFail)                         \
  X(kProbeOpen, "check.probe_open", kSetupFail)                               \
  X(kProbeWrongHost, "check.wrong_host", kSetupFail)                          \
  X(kCommunicationExposed, "communication.exposed", kPerfSlow)                \
  X(kConvergeDiverges, "converge.diverges", kPerfConverge)                    \
  X(kConvergeLossRises, "converge.loss_rises", kPerfConverge)                 \
  X(kOrderInversion, "deadlock.order_inversion", kPerfHang)                   \
  X(kMessageDeadlock, "deadlock.point_to_point", kPerfHang)                   \
  X(kDataLoading, "desync.data_loading", kPerfHang)                           \
  X(kDeadRank, "desync.dead_rank", kRunComm)                                  \
  X(kDifferentCalls, "desync.different_calls", kPerfHang)                     \
  X(kEndedEarly, "desync.ended_early", kPerfHang)                             \
  X(kExtraCollective, "desync.extra_collective", kPerfHang)                   \
  X(kFailedRank, "desync.failed_rank", kRunComm)                              \
  X(kLaggingCounter, "desync.lagging_counter", kPerfHang)                     \
  X(kMissingEvidence, "desync.missing_evidence", kPerfHang)                   \
  X(kMissingRank, "desync.missing_rank", kPerfHang)                           \
  X(kRankRestarted, "desync.rank_restarted", kPerfHang)                       \
  X(kSlowWork, "desync.slow_work", kPerfHang)                                 \
  X(kStoppedRank, "desync.stopped_rank", kPerfHang)                           \
  X(kStuckInCollective, "desync.stuck_in_collective", kPerfHang)              \
  X(kDivergenceBuffersDiffer, "divergence.buffers_differ", kPerfResult)       \
  X(kDivergenceOutputsDiffer, "divergence.outputs_differ", kPerfResult)       \
  X(kDivergenceParametersDiffer, "divergence.parameters_differ", kPerfResult) \
  X(kHangClientTimeout, "hang.client_timeout", kSetupHang)                    \
  X(kHangHorovodStart, "hang.horovod_start", kSetupHang)                      \
  X(kHangLogStops, "hang.log_stops", kPerfHang)                               \
  X(kHangNcclBootstrap, "hang.nccl_bootstrap", kSetupHang)                    \
  X(kHangPrepareSilent, "hang.prepare_silent", kPrepHang)                     \
  X(kHangSetupSilent, "hang.setup_silent", kSetupHang)                        \
  X(kHangSilent, "hang.silent", kPerfHang)                                    \
  X(kKilled, "mem.killed", kRunMem)                                           \
  X(kMismatchDataType, "mismatch.data_type", kRunTensor)                      \
  X(kMismatchExchange, "mismatch.exchange", kRunTensor)                       \
  X(kMismatchExtraCollective, "mismatch.extra_collective", kPerfHang)         \
  X(kMismatchMessage, "mismatch.message", kRunTensor)                         \
  X(kMismatchOperation, "mismatch.operation", kPerfHang)                      \
  X(kMismatchReduceOp, "mismatch.reduce_op", kPerfResult)                     \
  X(kMismatchRoot, "mismatch.root", kPerfHang)                                \
  X(kMismatchShape, "mismatch.shape", kRunTensor)                             \
  X(kMismatchSkippedCollective, "mismatch.skipped_collective", kPerfHang)     \
  X(kOtherException, "other.exception", kRunOther)                            \
  X(kOtherScriptError, "other.script_error", kRunOther)                       \
  X(kParallelAllOnGpuZero, "parallel.all_on_gpu_zero", kPerfParallel)         \
  X(kParallelIdleGpu, "parallel.idle_gpu", kPerfParallel)                     \
  X(kParallelLoneSteps, "parallel.lone_steps", kPerfParallel)                 \
  X(kParallelSameInputs, "parallel.same_inputs", kPerfParallel)               \
  X(kWorldOfOne, "parallel.world_of_one", kPerfParallel)                      \
  X(kUnmatchedReceive, "point_to_point.unmatched_receive", kPerfHang)         \
  X(kUnmatchedSend, "point_to_point.unmatched_send", kPerfHang)               \
  X(kProcessEnded, "process.ended", kRunOther)                                \
  X(kProcessFailed, "process.failed", kRunOther)                              \
  X(kSchedDeathSignal, "sched.death_signal", kPerfOther)                      \
  X(kSchedInterrupted, "sched.interrupted", kPerfOther)                       \
  X(kScriptException, "script.exception", kRunOther)                          \
  X(kBusError, "segv.bus", kRunMem)                                           \
  X(kSetupCommunicatorNotMade, "setup.communicator_not_made", kSetupHang)     \
  X(kSetupConnectFailed, "setup.connect_failed", kSetupFail)                  \
  X(kSetupGlooConnect, "setup.gloo_connect", kSetupFail)                      \
  X(kSetupGrpcConnect, "setup.grpc_connect", kSetupFail)                      \
  X(kSetupHorovodLaunch, "setup.horovod_launch", kSetupFail)                  \
  X(kSetupHorovodStore, "setup.horovod_store", kSetupFail)                    \
  X(kSetupMpiDaemons, "setup.mpi_daemons", kSetupFail)                        \
  X(kSetupMpiTcp, "setup.mpi_tcp", kSetupFail)                                \
  X(kSetupNcclConnectFailed, "setup.nccl_connect_failed", kSetupFail)         \
  X(kSetupNcclSystemError, "setup.nccl_system_error", kSetupFail)             \
  X(kSetupRankNotStarted, "setup.rank_not_started", kSetupHang)               \
  X(kSetupRanksDisagree, "setup.ranks_disagree", kSetupHang)                  \
  X(kSetupSameRankTwice, "setup.same_rank_twice", kSetupHang)                 \
  X(kSetupSlurmTasks, "setup.slurm_tasks", kSetupFail)                        \
  X(kSetupSshConnect, "setup.ssh_connect", kSetupFail)                        \
  X(kSlowRateFalls, "slow.rate_falls", kPerfSlow)                             \
  X(kSlowScaling, "slow.scaling", kPerfSlow)                                  \
  X(kSlowUnevenGpus, "slow.uneven_gpus", kPerfSlow)                           \
  X(kStragglerHost, "straggler.host", kPerfSlow)                              \
  X(kStragglerLink, "straggler.link", kPerfSlow)                              \
  X(kStragglerRank, "straggler.rank", kPerfSlow)                              \
  X(kVersionsDiffer, "versions.differ", kSetupFail)

namespace codes {
#define LOCKSTEP_CODE(name, text, leaf) inline constexpr KnownCode name{text, Leaf::leaf};
LOCKSTEP_FINDING_CODES(LOCKSTEP_CODE)
#undef LOCKSTEP_CODE
}  // namespace codes

std::span<const KnownCode> all_codes();

class FindingCode {
 public:
  FindingCode() = default;
  // Implicit, as codes arrive as text from the catalogue and from files. gate.finding_codes keeps literals
  // out of the sources.
  template <std::convertible_to<std::string_view> Text>
  FindingCode(const Text& text) : text_(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  operator std::string_view() const { return text_; }  // NOLINT(google-explicit-constructor)

  std::string_view family_name() const;  // "desync"; all of it where there is no dot
  CodeFamily family() const { return family_of(text_); }
  bool is(CodeFamily family) const { return this->family() == family; }
  bool is_wait() const;
  bool is_echo() const;

  template <std::convertible_to<std::string_view> Text>
  bool operator==(const Text& other) const {
    return text_ == std::string_view(other);
  }
  friend std::ostream& operator<<(std::ostream& out, const FindingCode& code) { return out << code.text_; }

 private:
  std::string text_;
};

// The code of a guess at a leaf: "leaf.run_tensor".
FindingCode guess_at(Leaf leaf);

}  // namespace lockstep::model
