// One collective on its way through TensorFlow's executor: what is known of it, and the ticket under which
// its end is told.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <tensorflow/core/framework/collective.h>

#include "lockstep/recorder.h"

namespace lockstep::tensorflow_adapter {

// What TensorFlow tells at the end; the type has moved from version to version.
template <typename Callback>
struct Told;
template <typename Status>
struct Told<std::function<void(const Status&)>> {
  using Type = Status;
};
using Status = Told<tensorflow::StatusCallback>::Type;

// Nothing when it is not recorded, or not yet: see groups.h.
std::optional<lockstep_ticket> begin_call(const tensorflow::CollectiveParams& params,
                                          const std::string& device);

void end_call(const lockstep_ticket& ticket, const Status& status) noexcept;

// How many were begun in this process.
extern std::atomic<std::uint64_t> calls_begun;

}  // namespace lockstep::tensorflow_adapter
