#include "diagnose/own_command.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "record/recording.h"

namespace lockstep::diagnose {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIsolate = "lockstep isolate -- ";

struct OwnCommand {
  std::string recording;
  std::string command;
};

std::string quoted(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-+=./:,@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::optional<OwnCommand> own_command_in(const std::vector<fs::path>& paths) {
  for (const fs::path& path : paths) {
    std::error_code fault;
    if (path == "-" || !fs::is_directory(path, fault)) continue;
    const auto recording = record::open_recording(path);
    if (!recording.ok() || !recording.value().manifest || recording.value().manifest->command.empty())
      continue;
    return OwnCommand{.recording = quoted(path.string()),
                      .command = typed_in_a_shell(recording.value().manifest->command)};
  }
  return std::nullopt;
}

void fill_in(const OwnCommand& own, std::string& text) {
  const std::size_t at = text.find(kCommandToFillIn);
  if (at == std::string::npos) return;
  text.replace(at, kCommandToFillIn.size(), own.command);
  if (const std::size_t isolate = text.find(kIsolate); isolate != std::string::npos)
    text.replace(isolate, kIsolate.size(), fmt::format("lockstep isolate --against {} -- ", own.recording));
}

}  // namespace

std::string typed_in_a_shell(const std::vector<std::string>& command) {
  std::vector<std::string> words;
  for (const std::string& word : command) words.push_back(quoted(word));
  return fmt::format("{}", fmt::join(words, " "));
}

void fill_in_own_command(const std::vector<fs::path>& paths, model::Verdict& verdict) {
  const auto own = own_command_in(paths);
  if (!own) return;
  for (model::Finding& finding : verdict.findings) {
    for (model::Fix& fix : finding.fixes) {
      for (std::string& command : fix.commands) fill_in(*own, command);
    }
  }
  for (std::string& limit : verdict.limits) fill_in(*own, limit);
}

}  // namespace lockstep::diagnose
