// Which launcher a command begins with.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::config {

enum class LauncherKind { kTorchrun, kHorovodrun, kMpirun, kSrun, kDeepspeed, kAccelerate };

struct FoundLauncher {
  LauncherKind kind = LauncherKind::kTorchrun;
  std::size_t head = 0;  // how many words name it: 3 for "python -m torch.distributed.run"
};

std::optional<FoundLauncher> find_launcher(std::span<const std::string> words);

// env, nice, uv run and the like: how many words stand before what they wrap, if it can be told. 0: the
// command is no wrapper.
std::size_t words_of_wrapper(std::span<const std::string> words);

std::string program_name(const std::string& word);  // without its folder
bool is_python(std::string_view program);

}  // namespace lockstep::config
