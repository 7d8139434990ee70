#include "served_work.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace lockstep::pytorch {
namespace {

using c10::ivalue::Future;

// Without them whoever waits on another stream would not wait for the copies.
std::vector<c10::Device> devices_of(const std::vector<at::Tensor>& outputs) {
  std::vector<c10::Device> devices;
  for (const at::Tensor& output : outputs) {
    const c10::Device device = output.device();
    const bool is_known = std::find(devices.begin(), devices.end(), device) != devices.end();
    if (!device.is_cpu() && !is_known) devices.push_back(device);
  }
  return devices;
}

class ServedWork final : public c10d::Work {
 public:
  ServedWork(std::vector<at::Tensor> outputs, std::int32_t source, const std::string& error)
      : outputs_(std::move(outputs)),
        source_(source),
        future_(c10::make_intrusive<Future>(c10::ListType::create(c10::TensorType::get()),
                                            devices_of(outputs_))) {
    if (error.empty()) {
      future_->markCompleted(c10::IValue(outputs_));
    } else {
      error_ = std::make_exception_ptr(std::runtime_error(error));
      future_->setError(error_);
    }
  }

  bool isCompleted() override { return true; }
  bool isSuccess() const override { return error_ == nullptr; }
  std::exception_ptr exception() const override { return error_; }
  bool wait(std::chrono::milliseconds) override {
    if (error_ != nullptr) std::rethrow_exception(error_);
    future_->wait();  // a device may still be copying
    return true;
  }
  void synchronize() override { wait(std::chrono::milliseconds(0)); }
  void abort() override {}
  c10::intrusive_ptr<Future> getFuture() override { return future_; }
  int sourceRank() const override { return source_; }
  std::vector<at::Tensor> result() override { return outputs_; }

 private:
  std::vector<at::Tensor> outputs_;
  std::int32_t source_;
  std::exception_ptr error_;
  c10::intrusive_ptr<Future> future_;
};

}  // namespace

c10::intrusive_ptr<c10d::Work> served_work(std::vector<at::Tensor> outputs, std::int32_t source,
                                           const std::string& error) {
  return c10::make_intrusive<ServedWork>(std::move(outputs), source, error);
}

}  // namespace lockstep::pytorch
