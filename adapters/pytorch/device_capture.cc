#include "device_capture.h"

#include <memory>
#include <numeric>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "lockstep/payload.h"

#include "capture_queue.h"
#include "device_runtime.h"
#include "device_sum.h"

namespace lockstep::pytorch {
namespace {

// More than this not yet told, and no more is kept: the job is not to wait for the recorder.
constexpr std::uint64_t kMostOnTheWay = std::uint64_t{8} << 30;

// A result up to this long is copied on the device first, so that the job goes on at once.
constexpr std::uint64_t kLongestSnapshot = std::uint64_t{1} << 30;

// What is done here is no part of the job's program: no gradients, no modes of Python.
struct OwnOperations {
  at::NoGradGuard no_gradients;
  c10::impl::ExcludeDispatchKeyGuard no_modes{
      c10::DispatchKeySet({c10::DispatchKey::Python, c10::DispatchKey::PythonTLSSnapshot})};
};

std::vector<std::uint64_t> sizes_of(const std::vector<at::Tensor>& tensors) {
  std::vector<std::uint64_t> sizes;
  for (const at::Tensor& tensor : tensors) sizes.push_back(tensor.nbytes());
  return sizes;
}

c10::Stream stream_now(c10::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

c10::Stream pool_stream(c10::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
}

// Its own TensorImpl: the job's may belong to Python, whose lock this thread does not take.
at::Tensor alias_of(const at::Tensor& tensor) {
  const at::Tensor alias = tensor.detach();
  return alias.is_contiguous() ? alias : alias.contiguous();
}

// Room that the device can write to while nobody waits.
at::Tensor pinned_like(const at::Tensor& tensor) {
  return at::empty(tensor.sizes(), tensor.options().device(at::kCPU).pinned_memory(true));
}

at::Tensor brought(const at::Tensor& tensor) {
  at::Tensor host = pinned_like(tensor);
  host.copy_(tensor, /*non_blocking=*/true);
  return host;
}

using TensorVector = std::vector<at::Tensor>;

std::uint64_t bytes_of_all(const TensorVector& tensors) {
  const std::vector<std::uint64_t> sizes = sizes_of(tensors);
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

// Null when there is no room for it.
std::shared_ptr<TensorVector> snapshot_of(const TensorVector& tensors) {
  if (bytes_of_all(tensors) > kLongestSnapshot) return nullptr;
  auto made = std::make_shared<TensorVector>();
  try {
    for (const at::Tensor& tensor : tensors) made->push_back(tensor.clone(at::MemoryFormat::Contiguous));
  } catch (const std::exception&) {  // the device has no memory left
    return nullptr;
  }
  return made;
}

std::vector<lockstep_piece> pieces_of(const std::vector<at::Tensor>& tensors) {
  std::vector<lockstep_piece> pieces;
  for (const at::Tensor& tensor : tensors) {
    pieces.push_back({tensor.data_ptr(), tensor.nbytes()});
  }
  if (pieces.empty()) pieces.push_back({nullptr, 0});
  return pieces;
}

}  // namespace

bool can_capture_on(c10::Device device) {
  return !device.is_cpu() && can_ask_device(device);
}

void capture_sums(const std::vector<at::Tensor>& tensors, c10::Device device,
                  std::function<void(const std::uint64_t* words)> tell) {
  const OwnOperations own;
  const c10::DeviceGuard guard(device);
  std::vector<at::Tensor> summed;
  for (const at::Tensor& tensor : tensors) summed.push_back(alias_of(tensor));
  if (const auto rooms = SumRooms::sum(summed, device)) {
    capture_queue().add({DeviceEvent(stream_now(device)), nullptr, 0,
                         [rooms, tell = std::move(tell)] { tell(rooms->words().data()); }});
    return;
  }
  const at::Tensor words = brought(sum_on_device(summed, device));
  capture_queue().add({DeviceEvent(stream_now(device)), nullptr, 0, [words, tell = std::move(tell)] {
                         tell(static_cast<const std::uint64_t*>(words.data_ptr()));
                       }});
}

void capture_input_sum(const lockstep_ticket& ticket, const std::vector<at::Tensor>& inputs) {
  lockstep_payload_moment moment{};
  moment.size = sizeof moment;
  lockstep_payload_now(&moment);
  std::vector<std::uint64_t> sizes = sizes_of(inputs);
  capture_sums(inputs, inputs.front().device(), [ticket, moment, sizes](const std::uint64_t* words) {
    const std::uint64_t bytes = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    lockstep_keep_input_sum(&ticket, &moment, mix_sums(words, sizes).data(), bytes, sizes.size());
  });
}

void capture_input_checksum(const lockstep_ticket& ticket, const std::vector<at::Tensor>& inputs) {
  std::vector<std::uint64_t> sizes = sizes_of(inputs);
  capture_sums(inputs, inputs.front().device(), [ticket, sizes](const std::uint64_t* words) {
    lockstep_checksum_facts facts{};
    facts.size = sizeof facts;
    facts.has_input = 1;
    facts.input = mix_checksum(words, sizes);
    lockstep_note_checksums(&ticket, &facts);
  });
}

DeviceOutputs::DeviceOutputs(const lockstep_ticket& ticket, c10::Device device,
                             std::vector<at::Tensor> outputs, Wanted wanted)
    : ticket_(ticket), device_(device), wanted_(wanted) {
  const OwnOperations own;
  for (const at::Tensor& output : outputs) outputs_.push_back(output.detach());
}

DeviceOutputs::~DeviceOutputs() {
  if (wanted_.bytes && !is_kept_) lockstep_keep_output(&ticket_, nullptr, outputs_.size(), -1);
}

void DeviceOutputs::take() noexcept {
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    const c10::Stream stream = stream_now(device_);
    if (taken_) return taken_->block(stream);
    const OwnOperations own;
    const c10::DeviceGuard guard(device_);
    if (wanted_.checksum && !outputs_.empty()) {
      capture_sums(outputs_, device_,
                   [ticket = ticket_, sizes = sizes_of(outputs_)](const std::uint64_t* words) {
                     lockstep_checksum_facts facts{};
                     facts.size = sizeof facts;
                     facts.has_output = 1;
                     facts.output = mix_checksum(words, sizes);
                     lockstep_note_checksums(&ticket, &facts);
                   });
    }
    if (wanted_.bytes) put_copies();
    taken_.emplace(DeviceEvent(stream));
    outputs_.clear();
  } catch (...) {  // the job goes on; the result is noted as not kept
  }
}

void DeviceOutputs::put_copies() {
  const std::uint64_t bytes = bytes_of_all(outputs_);
  if (capture_queue().bytes_on_the_way() + bytes > kMostOnTheWay) lockstep_stop_payload();
  if (lockstep_payload_has_stopped()) return;
  const c10::Stream consumer = stream_now(device_);
  const std::shared_ptr<TensorVector> snapshot = snapshot_of(outputs_);
  const std::shared_ptr<TensorVector> source = snapshot ? snapshot : std::make_shared<TensorVector>(outputs_);
  const c10::Stream side = pool_stream(device_);
  DeviceEvent(consumer).block(side);
  TensorVector host;
  {
    const c10::StreamGuard guard(side);
    for (const at::Tensor& tensor : *source) host.push_back(brought(tensor));
  }
  if (!snapshot) DeviceEvent(side).block(consumer);
  // What is copied is held until it has arrived: freed before, its memory would be used again.
  capture_queue().add({DeviceEvent(side), source, bytes, [ticket = ticket_, host = std::move(host)] {
                         lockstep_keep_output(&ticket, pieces_of(host).data(), host.size(), -1);
                       }});
  is_kept_ = true;
}

void stop_capturing() {
  capture_queue().stop();
}

}  // namespace lockstep::pytorch
