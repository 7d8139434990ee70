#include "run/supervise/recorder_environment.h"

#include <algorithm>
#include <string_view>

namespace lockstep::supervise {
namespace {

class Environment {
 public:
  explicit Environment(std::vector<std::string> entries) : entries_(std::move(entries)) {}

  void set(std::string_view name, std::string_view value) {
    std::string entry = std::string(name) + "=" + std::string(value);
    if (std::string* old = find(name)) {
      *old = std::move(entry);
    } else {
      entries_.push_back(std::move(entry));
    }
  }
  void set_unless_set(std::string_view name, std::string_view value) {
    if (find(name) == nullptr) set(name, value);
  }
  void unset(std::string_view name) {
    std::erase_if(entries_, [&](const std::string& entry) { return is(entry, name); });
  }
  // Before what is there already, which goes on to count.
  void put_first(std::string_view name, std::string_view value) {
    const std::string* old = find(name);
    const std::string_view before =
        old == nullptr ? std::string_view() : std::string_view(*old).substr(name.size() + 1);
    set(name, before.empty() ? std::string(value) : std::string(value) + ":" + std::string(before));
  }
  std::vector<std::string> take() && { return std::move(entries_); }

 private:
  static bool is(std::string_view entry, std::string_view name) {
    return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
  }
  std::string* find(std::string_view name) {
    const auto found =
        std::ranges::find_if(entries_, [&](const std::string& entry) { return is(entry, name); });
    return found == entries_.end() ? nullptr : &*found;
  }

  std::vector<std::string> entries_;
};

}  // namespace

std::vector<std::string> with_recorder(std::vector<std::string> environment, const Installed& parts,
                                       const RecorderSettings& settings) {
  Environment changed(std::move(environment));
  changed.set("LOCKSTEP_RECORD", settings.folder.string());
  changed.set("LOCKSTEP_LIBRARY", parts.recorder.string());
  changed.put_first("LD_PRELOAD", parts.mpi_adapter.string() + ":" + parts.nccl_adapter.string());
  changed.put_first("PYTHONPATH", parts.python.string());
  if (settings.job.empty()) {
    changed.unset("LOCKSTEP_JOB");
  } else {
    changed.set("LOCKSTEP_JOB", settings.job);
  }
  if (settings.max_record_size) {
    changed.set("LOCKSTEP_MAX_RECORD_SIZE", *settings.max_record_size);
    changed.set("LOCKSTEP_RECORD_MODE", settings.is_ring ? "ring" : "full");
  }
  changed.set_unless_set("LOCKSTEP_STACK_SIGNAL", std::to_string(settings.stack_signal));
  if (settings.checksums) changed.set("LOCKSTEP_CHECKSUMS", "1");
  if (settings.payload) {
    changed.set("LOCKSTEP_PAYLOAD", "1");
    changed.put_first("LD_PRELOAD", parts.entropy.string());
  }
  if (settings.payload_steps) changed.set("LOCKSTEP_PAYLOAD_STEPS", std::to_string(*settings.payload_steps));
  if (settings.payload_since_checkpoint) changed.set("LOCKSTEP_PAYLOAD_SINCE_CHECKPOINT", "1");
  return std::move(changed).take();
}

std::vector<std::string> with_replay(std::vector<std::string> environment, const Installed& parts,
                                     const std::filesystem::path& folder, const ReplaySettings& settings) {
  const RecorderSettings recorder{.folder = folder, .job = "replay", .max_record_size = std::nullopt};
  Environment changed(with_recorder(std::move(environment), parts, recorder));
  changed.put_first("LD_PRELOAD", parts.entropy.string());
  changed.set("LOCKSTEP_REPLAY", settings.recording.string());
  changed.set("LOCKSTEP_REPLAY_RANK", std::to_string(settings.rank));
  changed.set("LOCKSTEP_REPLAY_WORLD_SIZE", std::to_string(settings.world_size));
  changed.set("LOCKSTEP_REPLAY_RESTART", std::to_string(settings.restart));
  if (settings.from_step != 0) changed.set("LOCKSTEP_REPLAY_FROM_STEP", std::to_string(settings.from_step));
  if (!settings.break_at.empty()) changed.set("LOCKSTEP_REPLAY_BREAK", settings.break_at);
  changed.set("LOCKSTEP_STACK_INTERVAL", "1");
  return std::move(changed).take();
}

}  // namespace lockstep::supervise
