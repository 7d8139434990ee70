#include "device_events.h"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace lockstep::pytorch {
namespace {

constexpr std::size_t kMostKept = 1024;  // of one device

// Never destroyed: threads give events back while the process ends.
struct Kept {
  std::mutex mutex;
  std::map<c10::Device, std::vector<c10::Event>, bool (*)(c10::Device, c10::Device)> events{
      [](c10::Device a, c10::Device b) {
        return std::pair(a.type(), a.index()) < std::pair(b.type(), b.index());
      }};
};

Kept& kept() {
  static auto* const all = new Kept;
  return *all;
}

c10::Event event_for(c10::Device device) {
  const std::lock_guard<std::mutex> lock(kept().mutex);
  std::vector<c10::Event>& free = kept().events[device];
  if (free.empty()) return c10::Event(device.type());
  c10::Event event = std::move(free.back());
  free.pop_back();
  return event;
}

}  // namespace

DeviceEvent::DeviceEvent(const c10::Stream& stream) : event_(event_for(stream.device())) {
  event_.record(stream);
}

DeviceEvent::DeviceEvent(DeviceEvent&& other) noexcept
    : event_(std::move(other.event_)), is_mine_(std::exchange(other.is_mine_, false)) {}

DeviceEvent& DeviceEvent::operator=(DeviceEvent&& other) noexcept {
  std::swap(event_, other.event_);
  std::swap(is_mine_, other.is_mine_);
  return *this;
}

DeviceEvent::~DeviceEvent() {
  if (!is_mine_) return;
  const std::lock_guard<std::mutex> lock(kept().mutex);
  std::vector<c10::Event>& free = kept().events[event_.device()];
  if (free.size() < kMostKept) free.push_back(std::move(event_));
}

}  // namespace lockstep::pytorch
