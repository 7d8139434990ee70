// Events of devices that are used again: to make and to destroy one takes the driver's lock, for which the
// job's own launches wait too.
#pragma once

#include <c10/core/Event.h>

namespace lockstep::pytorch {

class DeviceEvent {
 public:
  // Behind all that is on the stream now.
  explicit DeviceEvent(const c10::Stream& stream);
  DeviceEvent(DeviceEvent&& other) noexcept;
  DeviceEvent& operator=(DeviceEvent&& other) noexcept;
  ~DeviceEvent();

  bool has_come() const { return event_.query(); }
  void block(const c10::Stream& stream) const { event_.block(stream); }

 private:
  c10::Event event_;
  bool is_mine_ = true;
};

}  // namespace lockstep::pytorch
