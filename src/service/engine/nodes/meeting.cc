#include "service/engine/nodes/meeting.h"

#include <optional>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.h"

namespace lockstep::service {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

std::optional<NodePlace> place_told(const AttemptFolder& folder, int node) {
  const auto text = base::read_file(folder.node_place(node), 1 << 16);
  if (!text.ok()) return std::nullopt;
  const auto json = base::parse_json(text.value(), "place");
  if (!json.ok()) return std::nullopt;
  try {
    return decode_place(json.value());
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

Result<void> tell_place(const AttemptFolder& folder, int node, const NodePlace& place) {
  return base::write_file(folder.node_place(node),
                          base::to_text(encode_place(place), base::JsonLayout::kIndented));
}

std::vector<NodePlace> places_told(const AttemptFolder& folder, int nodes) {
  std::vector<NodePlace> places;
  for (int node = 0; node < nodes; ++node) {
    auto place = place_told(folder, node);
    if (!place) return {};
    places.push_back(std::move(*place));
  }
  return places;
}

Result<std::vector<NodePlace>> wait_for_all(const AttemptFolder& folder, int nodes,
                                            std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    std::vector<NodePlace> places = places_told(folder, nodes);
    if (!places.empty()) return places;
    if (std::chrono::steady_clock::now() > end) break;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  std::vector<int> missing;
  for (int node = 0; node < nodes; ++node) {
    if (!place_told(folder, node)) missing.push_back(node);
  }
  return Error{"the nodes of the job did not all come", folder.path.string(),
               fmt::format("nodes {} of {} are missing", fmt::join(missing, ", "), nodes),
               "all nodes must see this folder"};
}

}  // namespace lockstep::service
