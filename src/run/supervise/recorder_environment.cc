#include "run/supervise/recorder_environment.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lockstep::supervise {

namespace {

namespace fs = std::filesystem;

bool is_there(const Installed& parts) {
  std::error_code ignored;
  return fs::exists(parts.recorder, ignored) && fs::exists(parts.mpi_adapter, ignored) &&
         fs::exists(parts.nccl_adapter, ignored) && fs::exists(parts.entropy, ignored) &&
         fs::exists(parts.python / "sitecustomize.py", ignored);
}

std::vector<Installed> places(const fs::path& folder) {
  std::vector<Installed> places;
  for (const char* lib : {"../lib/lockstep", "../lib/x86_64-linux-gnu/lockstep",
                          "../lib/aarch64-linux-gnu/lockstep", "../lib64/lockstep"}) {
    const fs::path parts = folder / lib;
    places.push_back({.recorder = parts / "liblockstep.so",
                      .mpi_adapter = parts / "liblockstep_mpi.so",
                      .nccl_adapter = parts / "liblockstep_nccl.so",
                      .entropy = parts / "liblockstep_entropy.so",
                      .python = parts / "python"});
  }
  // build/release/lockstep
  places.push_back({.recorder = folder / "recorder/liblockstep.so",
                    .mpi_adapter = folder / "adapters/mpi/liblockstep_mpi.so",
                    .nccl_adapter = folder / "adapters/nccl/liblockstep_nccl.so",
                    .entropy = folder / "adapters/entropy/liblockstep_entropy.so",
                    .python = folder / "../../adapters/python"});
  return places;
}

}  // namespace

Result<Installed> find_installed_beside(const fs::path& program) {
  for (const Installed& parts : places(program.parent_path())) {
    if (!is_there(parts)) continue;
    return Installed{.recorder = fs::canonical(parts.recorder),
                     .mpi_adapter = fs::canonical(parts.mpi_adapter),
                     .nccl_adapter = fs::canonical(parts.nccl_adapter),
                     .entropy = fs::canonical(parts.entropy),
                     .python = fs::canonical(parts.python)};
  }
  return Error{"cannot record", program.string(),
               "liblockstep.so, an adapter or the Python folder is missing",
               "install Lockstep whole with 'make install', or run it from its build folder"};
}

Result<Installed> find_installed() {
  std::error_code fault;
  const fs::path program = fs::read_symlink("/proc/self/exe", fault);
  if (fault)
    return Error{"cannot record", "", "this program does not know where it is: " + fault.message(), ""};
  return find_installed_beside(program);
}

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
