#include "service/job/job.h"

#include <utility>

namespace lockstep::service {
namespace {

constexpr std::pair<JobState, std::string_view> kStates[] = {
    {JobState::kQueued, "QUEUED"}, {JobState::kRunning, "RUNNING"},     {JobState::kSucceeded, "SUCCEEDED"},
    {JobState::kFailed, "FAILED"}, {JobState::kCancelled, "CANCELLED"},
};
constexpr std::pair<Framework, std::string_view> kFrameworks[] = {
    {Framework::kPyTorch, "pytorch"},
    {Framework::kTensorFlow, "tensorflow"},
    {Framework::kHorovod, "horovod"},
    {Framework::kPlain, "plain"},
};

constexpr std::pair<EngineKind, std::string_view> kEngines[] = {
    {EngineKind::kLocal, "local"},
    {EngineKind::kSlurm, "slurm"},
    {EngineKind::kKubernetes, "kubernetes"},
};

template <typename Value, std::size_t kCount>
std::string_view word_in(const std::pair<Value, std::string_view> (&table)[kCount], Value wanted) {
  for (const auto& [value, word] : table) {
    if (value == wanted) return word;
  }
  return "";
}

template <typename Value, std::size_t kCount>
std::optional<Value> value_in(const std::pair<Value, std::string_view> (&table)[kCount],
                              std::string_view wanted) {
  for (const auto& [value, word] : table) {
    if (word == wanted) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view word_for(JobState state) {
  return word_in(kStates, state);
}
std::optional<JobState> job_state_named(std::string_view word) {
  return value_in(kStates, word);
}
std::string_view word_for(Framework framework) {
  return word_in(kFrameworks, framework);
}
std::optional<Framework> framework_named(std::string_view word) {
  return value_in(kFrameworks, word);
}
std::string_view word_for(EngineKind engine) {
  return word_in(kEngines, engine);
}
std::optional<EngineKind> engine_named(std::string_view word) {
  return value_in(kEngines, word);
}

}  // namespace lockstep::service
