// What a kernel is given and gives back.
#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/recorder.h"

#include "tensorflow_api.h"

namespace lockstep::adapters::horovod {

// Tensors of a kernel's context, held while their memory is used.
class HeldTensors {
 public:
  explicit HeldTensors(const TensorFlowApi& tensorflow)
      : tensorflow_(tensorflow), status_(tensorflow.new_status()) {}
  HeldTensors(const HeldTensors&) = delete;
  HeldTensors& operator=(const HeldTensors&) = delete;
  ~HeldTensors() {
    for (TensorFlowApi::Tensor* tensor : held_) tensorflow_.delete_tensor(tensor);
    tensorflow_.delete_status(status_);
  }

  TensorFlowApi::Status* status() { return status_; }
  std::size_t size() const { return held_.size(); }
  bool is_ok() const { return tensorflow_.code_of(status_) == 0; }

  bool add(TensorFlowApi::Tensor* tensor) {
    if (tensor == nullptr || !is_ok()) return false;
    held_.push_back(tensor);
    return true;
  }

  void take_inputs(void* context) {
    for (int at = 0; at < tensorflow_.input_count(context); ++at) {
      TensorFlowApi::Tensor* tensor = nullptr;
      tensorflow_.input(context, at, &tensor, status_);
      if (!add(tensor)) return;
    }
  }

  // False: one of them is not there.
  bool take_outputs(void* context) {
    for (int at = 0; at < tensorflow_.output_count(context); ++at) {
      if (!add(tensorflow_.output(context, at, status_))) return false;
    }
    return true;
  }

  // Never empty, so that none is told apart from what cannot be read.
  std::vector<lockstep_piece> pieces() const {
    std::vector<lockstep_piece> pieces;
    for (TensorFlowApi::Tensor* tensor : held_)
      pieces.push_back({tensorflow_.data_of(tensor), tensorflow_.byte_size(tensor)});
    if (pieces.empty()) pieces.push_back({nullptr, 0});
    return pieces;
  }

  std::vector<std::int64_t> shape_of(std::size_t at) const {
    std::vector<std::int64_t> shape;
    if (at >= held_.size()) return shape;
    for (int i = 0; i < tensorflow_.dimension_count(held_[at]); ++i)
      shape.push_back(tensorflow_.dimension(held_[at], i));
    return shape;
  }

 private:
  const TensorFlowApi& tensorflow_;
  TensorFlowApi::Status* status_;
  std::vector<TensorFlowApi::Tensor*> held_;
};

}  // namespace lockstep::adapters::horovod
