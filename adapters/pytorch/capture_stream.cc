#include "capture_stream.h"

#include <map>
#include <mutex>
#include <utility>

#include <c10/core/impl/VirtualGuardImpl.h>

namespace lockstep::pytorch {

c10::Stream capture_stream(const lockstep_ticket& ticket, c10::Device device) {
  const c10::impl::VirtualGuardImpl runtime(device.type());
  if (ticket.operation == LOCKSTEP_OPERATION_Send || ticket.operation == LOCKSTEP_OPERATION_Receive) {
    return runtime.getStreamFromGlobalPool(device);
  }
  static auto* const mutex = new std::mutex;
  static auto* const streams = new std::map<std::pair<std::uint64_t, c10::DeviceIndex>, c10::Stream>;
  const std::lock_guard<std::mutex> lock(*mutex);
  const std::pair key(ticket.communicator, device.index());
  auto known = streams->find(key);
  if (known == streams->end()) known = streams->emplace(key, runtime.getStreamFromGlobalPool(device)).first;
  return known->second;
}

}  // namespace lockstep::pytorch
