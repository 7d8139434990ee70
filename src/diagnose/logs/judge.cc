#include "diagnose/logs/judge.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text_fields.h"
#include "diagnose/logs/arbiter.h"
#include "diagnose/logs/candidate.h"
#include "diagnose/logs/context.h"
#include "diagnose/logs/exception_place.h"
#include "diagnose/logs/failure_words.h"
#include "diagnose/logs/features.h"
#include "diagnose/logs/finding_text.h"
#include "diagnose/logs/finished_ranks.h"
#include "diagnose/logs/likely_fixes.h"
#include "diagnose/logs/line_role.h"
#include "diagnose/logs/line_sources.h"
#include "diagnose/logs/logged_checksums.h"
#include "diagnose/logs/script_exception.h"
#include "diagnose/logs/silent.h"
#include "diagnose/logs/watchdog_calls.h"
#include "model/finding.h"
#include "model/finding_code.h"

namespace lockstep::logs {
namespace {

// What would show more, where the logs do not say enough: commands to copy, for the framework and the
// launcher that the logs show.

std::string logs_of_all_ranks(const Context& context) {
  if (context.knows("kubernetes"))
    return "for pod in $(kubectl get pods -o name); do kubectl logs --all-containers --prefix \"$pod\" > "
           "\"$(basename \"$pod\").log\"; kubectl describe \"$pod\" > \"$(basename \"$pod\").txt\"; done";
  if (context.knows("slurm")) return "srun --label --output=logs/rank%t.log python train.py";
  if (context.knows("horovod")) return "horovodrun --output-filename logs --verbose -np N python train.py";
  if (context.knows("mpi")) return "mpirun --tag-output --output-filename logs -np N python train.py";
  if (context.knows("ray")) return "ray logs cluster --format=text > ray.log";
  return "torchrun --log-dir logs --redirects 3 --tee 3 --nproc-per-node N train.py";
}

std::string more_words(const Context& context) {
  if (context.knows("horovod"))
    return "export HOROVOD_LOG_LEVEL=debug HOROVOD_TIMELINE=timeline.json NCCL_DEBUG=INFO";
  if (context.knows("tensorflow") && !context.knows("pytorch"))
    return "export TF_CPP_MIN_LOG_LEVEL=0 TF_CPP_VMODULE=collective_ops=1 GRPC_VERBOSITY=info "
           "NCCL_DEBUG=INFO";
  if (context.knows("jax"))
    return "export JAX_TRACEBACK_FILTERING=off TF_CPP_MIN_LOG_LEVEL=0 NCCL_DEBUG=INFO";
  return "export TORCH_DISTRIBUTED_DEBUG=DETAIL TORCH_CPP_LOG_LEVEL=INFO NCCL_DEBUG=INFO "
         "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1";
}

std::vector<std::string> what_to_collect(const Context& context) {
  return {logs_of_all_ranks(context) + "   # the log of every rank, not of one", more_words(context),
          "dmesg -T > dmesg.txt; nvidia-smi -q > gpus.txt   # on the node that failed first",
          "lockstep isolate -- COMMAND   # your own command: does the fault need several ranks?"};
}

// What the logs say about the job itself, for the head of a report.

// The first that the log shows. Horovod runs on top of the others, Keras on top of TensorFlow.
template <std::size_t size>
std::string first_known(const Context& context, const std::array<std::string_view, size>& names) {
  for (const std::string_view name : names) {
    if (context.knows(name)) return std::string(name);
  }
  return {};
}

std::string backend_of(const Context& context) {
  constexpr std::array<std::string_view, 3> kBackends = {"nccl", "gloo", "mpi"};
  const std::string backend = first_known(context, kBackends);
  return backend.empty() && context.knows("grpc_cluster") ? "grpc" : backend;
}

std::optional<int> world_of(const Context& context) {
  constexpr int kLargestJob = 1'000'000;
  const auto number = [&](const char* name) -> std::optional<int> {
    const auto found = context.captures().find(name);
    if (found == context.captures().end()) return std::nullopt;
    const auto value = base::number_in<int>(found->second);
    return value && *value >= 1 && *value <= kLargestJob ? value : std::nullopt;
  };
  if (const auto world = number("world")) return world;
  const auto per_node = number("per_node");
  const auto nodes = number("nodes");
  if (!per_node || !nodes || *per_node > kLargestJob / *nodes) return std::nullopt;
  return *per_node * *nodes;
}

model::JobSummary job_facts(const Context& context, const LineSources& sources) {
  constexpr std::array<std::string_view, 6> kFrameworks = {"horovod",    "pytorch", "jax",
                                                           "tensorflow", "keras",   "mpi"};
  model::JobSummary job;
  job.framework = first_known(context, kFrameworks);
  job.backend = backend_of(context);
  job.world_size = world_of(context);
  if (!sources.hosts().empty()) job.hosts = static_cast<int>(sources.hosts().size());
  job.ranks_seen.assign(sources.ranks().begin(), sources.ranks().end());
  return job;
}

using catalogue::Catalogue;
using catalogue::Role;
using catalogue::Strength;

// The thresholds of this judge; those of what it asks stand in its own files.

// Findings of one verdict. Each is half as sure as the one before: a fifth is below 0.07 and helps nobody.
constexpr std::size_t kMaxFindings = 4;
// Confidence of an answer that only progress lines or a wrapper give. Healthy jobs can look alike; so it
// stays below what counts as clear. Held by AWrapperAloneIsNeverSure.
constexpr double kMaxConfidenceWithoutOrigin = 0.49;
// Probability from which on a job counts as failed. Less would find a few more failures (2 of 100 short texts
// at 0.5) and accuse twice as many healthy ones (docs/cross-validation.md).
constexpr double kMinFailed = 0.7;
// The same where no line complains and no entry knows one, and what the likeliest leaf must have there. Held
// by TextWithoutAComplaintIsNotGuessedAbout.
constexpr double kMinFailedWithoutComplaint = 0.9;
// A few lines were picked out of a log by somebody who had a reason: of real ones fewer are healthy. A whole
// log is longer than this, however little its job did.
constexpr std::size_t kExcerpt = 1000;  // bytes
constexpr double kMinFailedOfExcerpt = 0.6;
constexpr double kMinFailedOfExcerptWithoutComplaint = 0.8;
constexpr double kMinLeafWithoutComplaint = 0.15;
// A greeting or two resemble anything.
constexpr std::size_t kLeastToResemble = 60;  // bytes: a line
// What is known of one line is worth more to a reader than a guess that is hardly likelier. A change shows in
// tests/corpus/fresh_test.
constexpr double kShareToKeepKnown = 0.6;
constexpr double kShareToKeepClear = 0.12;  // where the line is known as this fault and hardly as another
// That the script raised is seen; what kind of fault that is stays open. Held by
// AnExceptionOfTheScriptIsToldAsSuch.
constexpr double kMinConfidenceOfOwnException = 0.5;
// Confidence from which the cause is clear and nothing more need be collected. Held by
// WhatToCollectFitsTheLauncher.
constexpr double kClearConfidence = 0.5;
std::set<int> speaking_ranks(const LineSources& sources, std::span<const Sighting> sightings) {
  std::set<int> ranks = sources.ranks();
  for (const Sighting& sighting : sightings) {
    if (sighting.rank) ranks.insert(*sighting.rank);
  }
  return ranks;
}

bool has_origin(std::span<const Candidate> candidates) {
  return !candidates.empty() && candidates.front().role == Role::kOrigin;
}

// What a process survives when it catches it: one of several things it can be, and nobody ended for it.
bool can_be_got_over(std::span<const Candidate> candidates) {
  return std::ranges::all_of(candidates, [](const Candidate& candidate) {
    return candidate.role == Role::kOrigin && candidate.strength <= Strength::kWeak &&
           model::is_fatal(candidate.leaf);
  });
}

// Ranks that train have met: a complaint about the set-up that steps of training follow in its log was
// overcome, as long as nothing else is complained about. Held by ASetUpThatTrainingFollowsWasOvercome.
bool was_overcome(const Candidate& candidate, std::span<const LogText> logs) {
  constexpr std::size_t kSteps = 2;
  constexpr std::size_t kWindow = std::size_t{64} << 10;  // of the log behind a complaint
  if (candidate.leaf != model::Leaf::kSetupFail && candidate.leaf != model::Leaf::kSetupHang) return false;
  std::map<std::size_t, std::size_t> ends;  // of the last complaint, by log
  for (const Sighting* sighting : candidate.sightings) ends[sighting->log] = sighting->line.end;
  return std::ranges::all_of(ends, [&](const auto& end) {
    const std::string_view bytes = logs[end.first].bytes;
    std::size_t steps = 0;
    for_each_line(bytes, end.second, std::min(bytes.size(), end.second + kWindow),
                  [&](std::string_view line, LineSpan) { steps += is_progress(line) ? 1 : 0; });
    let_go(logs[end.first]);
    return steps >= kSteps;
  });
}

bool were_overcome(std::span<const Candidate> candidates, std::span<const LogText> logs) {
  return std::ranges::all_of(candidates,
                             [&](const Candidate& candidate) { return was_overcome(candidate, logs); });
}

// Each at most half as sure as the one before.
std::vector<model::Finding> findings_from(std::span<const Candidate> candidates,
                                          std::span<const LogText> logs,
                                          std::span<const RaisedException> raised,
                                          const std::set<int>& speaking,
                                          std::optional<model::Scope> likely_scope) {
  std::vector<model::Finding> findings;
  for (const Candidate& candidate : candidates) {
    if (findings.size() == kMaxFindings) break;
    if (!findings.empty() && candidate.role != Role::kOrigin) break;
    findings.push_back(
        finding_from(candidate, logs, speaking, 0, findings.empty() ? likely_scope : std::nullopt));
    findings.back().places = places_of(candidate, raised);
  }
  return findings;
}

void set_confidence(std::vector<model::Finding>& findings, double confidence) {
  for (model::Finding& finding : findings) {
    finding.confidence = confidence;
    confidence /= 2;
  }
}

// The entry that knows only that an exception was raised; the words of the log say more about its kind.
constexpr std::string_view kCatchAll = model::codes::kOtherException;
// The one that takes it for the script's; a framework's part that raised it says otherwise.
constexpr std::string_view kScriptError = model::codes::kOtherScriptError;

bool shares_a_line(const Candidate& one, const Candidate& other) {
  return std::ranges::any_of(one.sightings, [&](const Sighting* seen) {
    return std::ranges::any_of(other.sightings,
                               [&](const Sighting* also) { return is_same_line(*seen, *also); });
  });
}

// An entry that knows a line by more than that it names an exception says more than the words around it,
// however little it is sure of.
void prefer_what_knows_more(std::vector<Candidate>& candidates) {
  if (candidates.empty() || candidates.front().symptom->code != kCatchAll) return;
  const auto knows_more = std::find_if(candidates.begin() + 1, candidates.end(), [&](const Candidate& other) {
    return other.role == Role::kOrigin && shares_a_line(other, candidates.front());
  });
  if (knows_more != candidates.end()) std::rotate(candidates.begin(), knows_more, knows_more + 1);
}

// The arbiter's answer where no entry gives it. Who began it, and which lines show it, is told by what is
// known, whatever kind of fault that takes it for.
model::Finding guessed_instead_of(const Catalogue& catalogue, std::span<const LogText> logs, model::Leaf leaf,
                                  std::optional<model::Scope> likely_scope, const model::Finding* known) {
  model::Finding guessed = guessed_finding(catalogue, logs, leaf, likely_scope, known != nullptr);
  if (known != nullptr) {
    guessed.evidence = known->evidence;
    guessed.places = known->places;
    guessed.root_ranks = known->root_ranks;
    guessed.victim_ranks = known->victim_ranks;
  }
  return guessed;
}

// What knows only that something was raised.
bool is_vague(const Candidate& candidate) {
  const model::FindingCode& code = candidate.symptom->code;
  return code == kCatchAll || code == kScriptError || code == model::codes::kScriptException;
}

// The arbiter's leaf first, then the others as likely as it thinks them. An echo stays behind every origin.
void order_by(const Opinion& opinion, std::vector<Candidate>& candidates) {
  std::ranges::stable_sort(candidates, {}, [&](const Candidate& candidate) {
    return std::tuple(candidate.role != Role::kOrigin, -opinion.of(candidate.leaf));
  });
}

bool is_clear(const Candidate& candidate) {
  return candidate.role == Role::kOrigin &&
         (candidate.strength >= Strength::kStrong ||
          model::FindingCode(candidate.symptom->code) == model::codes::kScriptException);
}

// Where the user's own script raised, what is said of it is right whatever kind of fault it is.
bool is_own_exception(std::span<const Candidate> candidates) {
  return !candidates.empty() &&
         model::FindingCode(candidates.front().symptom->code) == model::codes::kScriptException;
}

// What an exception of the script can be: it ends a process by itself and waits for nobody.
bool can_be_raised(model::Leaf leaf) {
  return model::is_fatal(leaf) && leaf != model::Leaf::kRunComm && leaf != model::Leaf::kSetupFail;
}

bool agrees(const Opinion& opinion, std::span<const Candidate> candidates) {
  if (candidates.empty()) return false;
  const double share = is_clear(candidates.front()) ? kShareToKeepClear : kShareToKeepKnown;
  return opinion.of(candidates.front().leaf) >= share * opinion.of(opinion.best);
}

bool knows_clearly(const Opinion& opinion, std::span<const Candidate> candidates) {
  return agrees(opinion, candidates) && is_clear(candidates.front());
}

model::Scope scope_of(const Candidate& candidate) {
  const bool varies = candidate.variant != nullptr && candidate.variant->scope;
  return varies ? *candidate.variant->scope : candidate.symptom->scope;
}

// Of a job that trains, warns or informs and complains of nothing only its silence can be wrong; who judges
// that is silent_sign(). Held by AServerThatServesAJobIsNotWaitingInVain and
// WhatALoggerCallsAWarningIsNotGuessedAbout.
bool goes_on_calmly(const Features& features) {
  constexpr float kAllLogs = 0.99F;
  const auto share = [&](std::string_view name) {
    const auto found = features.find(name);
    return found == features.end() ? 0.0F : found->second;
  };
  const bool trains = !features.contains("s:steps 0");
  const float mild = share("s:last warning") + share("s:last log info") + share("s:last library info");
  return share("s:course no failure") >= kAllLogs && (trains || mild >= kAllLogs);
}

// Who suffers from such a fault need not end: that the job went on says nothing against it.
bool is_suffered(const Opinion& opinion, std::span<const Candidate> candidates) {
  constexpr double kLikely = 0.5;
  return std::ranges::any_of(candidates, [&](const Candidate& candidate) {
    return is_clear(candidate) && !model::is_fatal(candidate.leaf) && opinion.of(candidate.leaf) >= kLikely;
  });
}

// nullopt: that of the entry, which is clear about its line, holds. The arbiter outweighs it only when sure.
std::optional<model::Scope> scope_by(const Opinion& opinion, std::span<const Candidate> candidates) {
  constexpr double kSure = 0.8;
  const bool is_distributed = opinion.distributed >= 0.5;
  const bool is_sure = (is_distributed ? opinion.distributed : 1 - opinion.distributed) >= kSure;
  if (!is_sure && knows_clearly(opinion, candidates) &&
      scope_of(candidates.front()) != model::Scope::kUnknown)
    return std::nullopt;
  return is_distributed ? model::Scope::kDistributed : model::Scope::kOrdinary;
}

std::size_t bytes_in(std::span<const LogText> logs) {
  std::size_t bytes = 0;
  for (const LogText& log : logs) bytes += log.bytes.size();
  return bytes;
}

// What progress lines show by themselves, and silent_sign() looks for.
bool shows_in_numbers(model::Leaf leaf) {
  return leaf == model::Leaf::kPerfSlow || leaf == model::Leaf::kPerfParallel ||
         leaf == model::Leaf::kPerfConverge;
}

// Text without a complaint has to resemble a fault clearly: most is that of healthy jobs. Where the work is
// said to be done, it is done.
bool resembles_a_fault(const Opinion& opinion, const Features& features, std::size_t bytes) {
  return bytes >= kLeastToResemble && features.contains("s:course never done") &&
         opinion.failed >=
             (bytes <= kExcerpt ? kMinFailedOfExcerptWithoutComplaint : kMinFailedWithoutComplaint) &&
         opinion.of(opinion.best) >= kMinLeafWithoutComplaint && !shows_in_numbers(opinion.best);
}

Stage stage_reached(const Context& context) {
  const Stage furthest = context.furthest_stage();
  return furthest == Stage::kSetup && context.knows("tasks_joined") ? Stage::kPrepare : furthest;
}

std::optional<SilentSign> sign_in(std::span<const LogText> logs, const Context& context,
                                  const LineSources& sources) {
  if (auto sign = silent_sign(logs, context)) return sign;
  const bool is_split = context.knows("fsdp") || context.knows("deepspeed");
  const auto differ = is_split ? std::nullopt : differing_checksums(logs, sources);
  if (!differ) return std::nullopt;
  return SilentSign{model::codes::kDivergenceParametersDiffer, differ->log, differ->line, differ->odd_rank};
}

// A limit ends what hangs, too: the scheduler names the limit alone.
std::optional<SilentSign> silent_until_limit(std::span<const Candidate> candidates,
                                             std::span<const LogText> logs) {
  const Candidate& first = candidates.front();
  return silent_until(logs, first.sightings.front()->log, first.sightings.front()->line);
}

std::vector<LogText> with_line_marks(std::span<const LogText> logs, std::span<const Scan> scans) {
  std::vector<LogText> marked(logs.begin(), logs.end());
  for (std::size_t log = 0; log < marked.size(); ++log) {
    if (marked[log].line_marks.end() != marked[log].bytes.size())
      marked[log].line_marks = scans[log].marks.lines;
  }
  return marked;
}

}  // namespace

LogVerdict judge(const Catalogue& catalogue, std::span<const LogText> unread_logs, std::string_view arbiter,
                 const OnScanned& on_scanned, std::vector<std::optional<Scan>> seen_before) {
  const std::vector<Scan> scans = scan_logs(catalogue, unread_logs, on_scanned, std::move(seen_before));
  const std::vector<LogText> logs = with_line_marks(unread_logs, scans);
  const Context context(catalogue, logs, scans);
  const LineSources sources(logs);
  const std::vector<Sighting> sightings = sightings_in(catalogue, logs, scans, context, sources);
  const std::set<int> speaking = speaking_ranks(sources, sightings);
  std::vector<Candidate> candidates = candidates_from(sightings);
  const std::vector<RaisedException> raised = raised_exceptions(logs);
  const bool sounds_bad = sounds_like_failure(catalogue, logs);
  const bool got_over =
      (can_be_got_over(candidates) && every_rank_finished(logs, sources, speaking)) ||
      (!candidates.empty() && raised.empty() && !sounds_bad && were_overcome(candidates, logs));
  if (got_over) candidates.clear();
  const auto scripts_own = script_exception_in(catalogue, logs, raised, sightings, sources);
  if (scripts_own && !got_over) put_first_if_it_outweighs(*scripts_own, candidates);
  prefer_what_knows_more(candidates);
  const std::optional<model::Leaf> place = library_place_in(raised);
  const auto sign =
      has_origin(candidates) ? silent_until_limit(candidates, logs) : sign_in(logs, context, sources);

  LogVerdict verdict;
  verdict.job = job_facts(context, sources);
  verdict.stage = stage_reached(context);
  verdict.job.ranks_seen.assign(speaking.begin(), speaking.end());
  verdict.features = features_of({.logs = logs,
                                  .context = context,
                                  .sightings = sightings,
                                  .candidates = candidates,
                                  .raised = raised,
                                  .place = place,
                                  .sign = sign,
                                  .speaking = speaking,
                                  .all_finished = every_rank_finished(logs, sources, speaking),
                                  .sounds_like_failure = sounds_bad});
  verdict.opinion = opinion_of(arbiter, verdict.features);
  const Opinion& opinion = verdict.opinion;
  const bool complains = !candidates.empty() || sounds_bad || !raised.empty();
  const bool resembles =
      resembles_a_fault(opinion, verdict.features, bytes_in(logs)) && says_anything(catalogue, logs);
  const bool is_calm = candidates.empty() && !sounds_bad && goes_on_calmly(verdict.features);
  const double min_failed = bytes_in(logs) <= kExcerpt ? kMinFailedOfExcerpt : kMinFailed;
  const bool has_failed = !got_over && (complains || resembles) && !is_calm &&
                          (opinion.failed >= min_failed || is_suffered(opinion, candidates));
  if (sign) {
    verdict.findings = findings_from(candidates, logs, raised, speaking, std::nullopt);
    if (!has_origin(candidates)) verdict.findings.clear();
    verdict.findings.insert(verdict.findings.begin(), silent_finding(catalogue, logs, *sign));
    verdict.findings.resize(std::min(verdict.findings.size(), kMaxFindings));
    set_confidence(verdict.findings, kMaxConfidenceWithoutOrigin);
  } else if (has_failed) {
    order_by(opinion, candidates);
    const std::optional<model::Scope> likely_scope = scope_by(opinion, candidates);
    verdict.findings = findings_from(candidates, logs, raised, speaking, likely_scope);
    if (agrees(opinion, candidates)) {
      std::vector<int> early =
          who_ended_early(candidates.front(), verdict.findings.front(), finished_ranks(logs, sources));
      if (!early.empty())
        describe_who_ended_early(catalogue, std::move(early), candidates.front().ranks,
                                 verdict.findings.front());
      describe_calls_that_differ(catalogue, logs, candidates.front(), verdict.findings.front());
    } else if (is_own_exception(candidates)) {
      if (can_be_raised(opinion.best)) verdict.findings.front().leaf = opinion.best;
    } else {
      const bool replaces =
          !candidates.empty() && (is_vague(candidates.front()) || candidates.front().role != Role::kOrigin);
      model::Finding guess =
          guessed_instead_of(catalogue, logs, opinion.best, likely_scope,
                             verdict.findings.empty() ? nullptr : &verdict.findings.front());
      if (replaces) verdict.findings.erase(verdict.findings.begin());
      verdict.findings.insert(verdict.findings.begin(), std::move(guess));
      verdict.findings.resize(std::min(verdict.findings.size(), kMaxFindings));
    }
    const bool is_known = agrees(opinion, candidates);
    double confidence = confidence_in(arbiter, opinion, verdict.findings.front().leaf, is_known);
    if (!candidates.empty() && !has_origin(candidates))
      confidence = std::min(confidence, kMaxConfidenceWithoutOrigin);
    if (is_own_exception(candidates)) confidence = std::max(confidence, kMinConfidenceOfOwnException);
    set_confidence(verdict.findings, confidence);
    verdict.findings.front().fixes =
        likely_fixes(catalogue, opinion, candidates, std::move(verdict.findings.front().fixes),
                     knows_clearly(opinion, candidates) ? FirstFix::kOfEntry : FirstFix::kOfAny);
  }
  const bool is_clear = !verdict.findings.empty() &&
                        verdict.findings.front().confidence >= kClearConfidence &&
                        !verdict.findings.front().code.is(model::CodeFamily::kLeaf);
  if (!is_clear && (sign || has_failed)) verdict.collect_next = what_to_collect(context);
  return verdict;
}

}  // namespace lockstep::logs
