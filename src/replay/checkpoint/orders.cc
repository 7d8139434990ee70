#include "replay/checkpoint/orders.h"

#include <algorithm>
#include <chrono>

#include "base/file.h"
#include "base/json.h"
#include "base/text_fields.h"

namespace lockstep::checkpoint {

std::string encode_orders(const Orders& orders) {
  base::Json json = base::Json::object();
  if (orders.image_every != 0) json["image_every"] = orders.image_every;
  if (orders.to_step != 0) json["to_step"] = orders.to_step;
  if (!orders.predicate.empty()) json["predicate"] = orders.predicate;
  if (orders.only_asks) json["only_asks"] = true;
  if (!orders.saves_parameters_to.empty()) json["saves_parameters_to"] = orders.saves_parameters_to.string();
  if (!orders.patch.empty()) json["patch"] = orders.patch.string();
  if (orders.copy != 0) json["copy"] = orders.copy;
  if (!orders.break_at.empty()) json["break_at"] = orders.break_at;
  return base::to_text(json, base::JsonLayout::kOneLine) + "\n";
}

Result<void> write_orders(const std::filesystem::path& recording, const Orders& orders) {
  return base::write_file(recording / "orders.json", encode_orders(orders));
}

namespace {

constexpr std::size_t kMaxStopBytes = 1 << 16;  // one line, with a Python error at most
constexpr const char* kStopFile = "stopped";

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
  const auto end = std::filesystem::last_write_time(recording / kStopFile, fault);
  if (fault) return std::nullopt;
  return std::chrono::duration<double>(end - begin).count();
}

std::optional<Stop> read_stop(const std::filesystem::path& recording) {
  const auto text = base::read_file(recording / kStopFile, kMaxStopBytes);
  return text.ok() ? parse_stop(text.value()) : std::nullopt;
}

}  // namespace lockstep::checkpoint
