#include "launchers/launcher.h"

#include <filesystem>

#include <fmt/format.h>

namespace lockstep::launchers {
namespace {

bool is_among(std::string_view name, std::string_view names) {
  return !name.empty() && name.find(' ') == std::string_view::npos &&
         names.find(fmt::format(" {} ", name)) != std::string_view::npos;
}

std::optional<FoundLauncher> launcher_named(std::string_view name, std::size_t head) {
  for (const Launcher* const launcher : all_launchers()) {
    if (is_among(name, launcher->programs)) return FoundLauncher{launcher, head};
  }
  return std::nullopt;
}

// python [-u ...] -m MODULE, or python [-u ...] /somewhere/bin/torchrun.
std::optional<FoundLauncher> behind_python(std::span<const std::string> words) {
  std::size_t at = 1;
  while (at < words.size() && words[at].starts_with('-') && words[at] != "-m" && words[at] != "-c") {
    at += words[at] == "-X" || words[at] == "-W" ? 2 : 1;
  }
  if (at + 1 < words.size() && words[at] == "-m") return launcher_named(words[at + 1], at + 2);
  if (at < words.size() && !words[at].starts_with('-'))
    return launcher_named(program_name(words[at]), at + 1);
  return std::nullopt;
}

}  // namespace

std::string program_name(const std::string& word) {
  return std::filesystem::path(word).filename().string();
}

bool is_python(std::string_view program) {
  return program == "python" || program.starts_with("python2") || program.starts_with("python3") ||
         program == "pypy3";
}

std::optional<FoundLauncher> find_launcher(std::span<const std::string> words) {
  if (words.empty()) return std::nullopt;
  const std::string name = program_name(words.front());
  if (name == "accelerate" && words.size() > 1 && words[1] == "launch") return FoundLauncher{&kAccelerate, 2};
  if (is_python(name)) return behind_python(words);
  return launcher_named(name, 1);
}

std::span<const Launcher* const> all_launchers() {
  static constexpr const Launcher* kAll[] = {&kTorchrun, &kHorovodrun, &kMpirun,
                                             &kSrun,     &kDeepspeed,  &kAccelerate};
  return kAll;
}

std::string flag_name(const Launcher& launcher, const std::string& typed) {
  for (const std::string_view group : launcher.same_meaning) {
    if (is_among(typed, fmt::format(" {} ", group))) return std::string(group.substr(0, group.find(' ')));
  }
  return typed;
}

}  // namespace lockstep::launchers
