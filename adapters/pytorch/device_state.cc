#include "device_state.h"

#include "lockstep/payload.h"

#include "device_capture.h"
#include "device_sum.h"
#include "tensor_list.h"

namespace lockstep::pytorch {
bool keep_state(std::uint64_t step, const std::string& names, const std::vector<at::Tensor>& tensors) {
  std::vector<std::uint64_t> sums(tensors.size());
  std::vector<std::size_t> places;  // of those on the device
  std::vector<at::Tensor> there;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].device().is_cpu()) {
      sums[i] = checksum_of({tensors[i]});
      continue;
    }
    if (!can_sum_on(tensors[i].device())) return false;
    if (!there.empty() && there.front().device() != tensors[i].device()) return false;
    places.push_back(i);
    there.push_back(tensors[i]);
  }
  if (there.empty()) return false;
  std::vector<std::uint64_t> sizes;
  for (const at::Tensor& tensor : there) sizes.push_back(tensor.nbytes());
  capture_sums(there, there.front().device(),
               [=, sums = std::move(sums)](const std::uint64_t* words) mutable {
                 for (std::size_t i = 0; i < places.size(); ++i)
                   sums[places[i]] = mix_checksum(words + 2 * i, {sizes[i]});
                 lockstep_keep_state_sums(step, names.data(), names.size(), sums.data(), sums.size());
               });
  lockstep_end_step(step);
  return true;
}

}  // namespace lockstep::pytorch
