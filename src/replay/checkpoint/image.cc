#include "replay/checkpoint/image.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"

namespace lockstep::checkpoint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFactsBytes = 1 << 20;

Error no_images(const fs::path& folder, std::string why) {
  return Error{"no process images", folder.string(), std::move(why),
               "take some: lockstep replay RECORDING --rank R --checkpoint-every 10 -o DIR"};
}

}  // namespace

std::string encode_facts(const ImageFacts& facts) {
  const base::Json json{{"step", facts.step},
                        {"pid", facts.pid},
                        {"out", facts.out},
                        {"err", facts.err},
                        {"recording", facts.recording.string()},
                        {"replayed", facts.replayed.string()},
                        {"rank", facts.rank},
                        {"has_gpu_memory", facts.has_gpu_memory}};
  return base::to_text(json, base::JsonLayout::kIndented) + "\n";
}

Result<ImageFacts> decode_facts(std::string_view text, std::string_view where) {
  const base::Json json = TRY(base::parse_json(text, where));
  const auto number = [&](const char* name) {
    const base::Json& found = base::field_at(json, name);
    return found.is_number_integer() ? found.get<std::int64_t>() : -1;
  };
  if (number("step") < 0 || number("pid") <= 0 || base::text_at(json, "recording").empty())
    return Error{"not the facts of an image", std::string(where), "a step, a pid or a folder is missing", ""};
  return ImageFacts{.step = static_cast<std::uint64_t>(number("step")),
                    .pid = static_cast<pid_t>(number("pid")),
                    .out = base::text_at(json, "out"),
                    .err = base::text_at(json, "err"),
                    .recording = base::text_at(json, "recording"),
                    .replayed = base::text_at(json, "replayed"),
                    .rank = static_cast<int>(number("rank")),
                    .has_gpu_memory = base::field_at(json, "has_gpu_memory") == true};
}

std::string image_name(std::uint64_t step) {
  return fmt::format("step_{:06}", step);
}

Result<std::vector<Image>> read_images(const fs::path& folder) {
  std::error_code fault;
  const fs::path inner = folder / "images";
  const fs::path place = fs::is_directory(inner, fault) ? inner : folder;
  std::vector<Image> images;
  for (fs::directory_iterator entry(place, fault), end; !fault && entry != end; entry.increment(fault)) {
    const fs::path facts = entry->path() / "image.json";
    const auto text = base::read_file(facts, kMaxFactsBytes);
    if (!text.ok()) continue;  // being taken, or something else
    images.push_back({TRY(decode_facts(text.value(), facts.string())), fs::absolute(entry->path())});
  }
  if (fault) return no_images(place, fault.message());
  if (images.empty()) return no_images(place, "there are none");
  std::ranges::sort(images, {}, [](const Image& image) { return image.facts.step; });
  return images;
}

std::optional<Image> nearest_image(std::span<const Image> images, std::uint64_t step) {
  std::optional<Image> nearest;
  for (const Image& image : images) {
    if (image.facts.step <= step && (!nearest || nearest->facts.step <= image.facts.step)) nearest = image;
  }
  return nearest;
}

}  // namespace lockstep::checkpoint
