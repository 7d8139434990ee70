#include "service/job/job.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <sys/random.h>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/check.h"

namespace lockstep::service {
namespace {

// Crockford's alphabet: no letter looks like a digit, and the order of the text is that of the number.
constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::string_view kPrefix = "job_";
constexpr std::size_t kTimeDigits = 10;
constexpr std::size_t kRandomDigits = 16;

}  // namespace

std::string random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t done = 0; done < count;) {
    const ssize_t got = ::getrandom(bytes.data() + done, count - done, 0);
    CHECK(got > 0 || errno == EINTR, "the kernel gives random bytes");
    if (got > 0) done += static_cast<std::size_t>(got);
  }
  return bytes;
}

std::string least_job_id(std::int64_t ms) {
  std::string id(kPrefix);
  for (std::size_t i = 0; i < kTimeDigits; ++i) {
    const std::size_t shift = 5 * (kTimeDigits - 1 - i);
    id += kDigits[static_cast<std::size_t>(ms >> shift) & 31];
  }
  return id;
}

std::string make_job_id(std::int64_t now_ms) {
  std::string id = least_job_id(now_ms);
  for (const char byte : random_bytes(kRandomDigits)) id += kDigits[static_cast<unsigned char>(byte) & 31];
  return id;
}

bool is_job_id(std::string_view text) {
  return text.size() == kPrefix.size() + kTimeDigits + kRandomDigits && text.starts_with(kPrefix) &&
         std::ranges::all_of(text.substr(kPrefix.size()),
                             [](char c) { return kDigits.find(c) != std::string_view::npos; });
}

std::int64_t now_in_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string rfc3339(std::int64_t ms) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(ms / 1000)),
                     ms % 1000);
}

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

using base::Json;

Json encode_rank_end(const RankEnd& end) {
  Json json = {{"rank", end.rank},
               {"pid", end.pid},
               {"started_ms", end.started_ms},
               {"ended_ms", end.ended_ms},
               {"was_asked", end.was_asked},
               {"last_lines", end.last_lines}};
  if (end.exit_status) json["exit_status"] = *end.exit_status;
  if (end.signal) json["signal"] = *end.signal;
  if (!end.output_lost.empty()) json["output_lost"] = end.output_lost;
  if (end.hit_memory_limit) json["hit_memory_limit"] = true;
  return json;
}

Json decode_kept_findings(const Json& kept) {
  if (kept.is_object()) return kept;
  if (!kept.is_string()) return nullptr;
  auto parsed = base::parse_json(kept.get_ref<const std::string&>(), "findings");
  return parsed.ok() && parsed.value().is_object() ? std::move(parsed).value() : Json(nullptr);
}

RankEnd decode_rank_end(const Json& json) {
  RankEnd end;
  end.rank = json.at("rank").get<int>();
  end.pid = json.at("pid").get<std::int64_t>();
  end.started_ms = json.at("started_ms").get<std::int64_t>();
  end.ended_ms = json.at("ended_ms").get<std::int64_t>();
  end.was_asked = json.at("was_asked").get<bool>();
  end.last_lines = json.at("last_lines").get<std::vector<std::string>>();
  if (json.contains("exit_status")) end.exit_status = json.at("exit_status").get<int>();
  if (json.contains("signal")) end.signal = json.at("signal").get<int>();
  end.output_lost = json.value("output_lost", std::string());
  end.hit_memory_limit = json.value("hit_memory_limit", false);
  return end;
}

}  // namespace lockstep::service
