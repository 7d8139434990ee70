#include "replay/stop.h"

#include <algorithm>
#include <chrono>

#include "base/file.h"
#include "base/text_fields.h"

namespace lockstep::replay {
namespace {

constexpr std::size_t kMostBytes = 1 << 16;
constexpr const char* kFile = "stopped";

std::optional<Stop::Why> why_from(std::string_view word) {
  if (word == "reached") return Stop::Why::kReached;
  if (word == "holds") return Stop::Why::kHolds;
  if (word == "failed") return Stop::Why::kFailed;
  if (word == "image") return Stop::Why::kForImage;
  if (word == "gpu_image") return Stop::Why::kForGpuImage;
  if (word == "no_image") return Stop::Why::kCannotBeFrozen;
  return std::nullopt;
}

std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

std::optional<Stop> parse_stop(std::string_view line) {
  while (line.ends_with('\n')) line.remove_suffix(1);
  const auto why = why_from(take_word(line));
  const auto step = base::number_in<std::uint64_t>(take_word(line));
  if (!why || !step) return std::nullopt;
  return Stop{.why = *why, .step = *step, .error = std::string(line)};
}

std::optional<double> seconds_until_stop(const std::filesystem::path& recording,
                                         std::filesystem::file_time_type begin) {
  std::error_code fault;
  const auto end = std::filesystem::last_write_time(recording / kFile, fault);
  if (fault) return std::nullopt;
  return std::chrono::duration<double>(end - begin).count();
}

std::optional<Stop> read_stop(const std::filesystem::path& recording) {
  const auto text = base::read_file(recording / kFile, kMostBytes);
  return text.ok() ? parse_stop(text.value()) : std::nullopt;
}

}  // namespace lockstep::replay
