// A Work that does what another one does, call for call. Every call is handed on exactly once: waiting twice
// for a send of Gloo hangs. The builder looks into PyTorch's header which calls there are.
#pragma once

#include <utility>
#include <vector>

#include <torch/csrc/distributed/c10d/Work.hpp>

namespace lockstep::pytorch {

class ForwardedWork : public c10d::Work {
 public:
  explicit ForwardedWork(c10::intrusive_ptr<c10d::Work> inner)
      : Work(-1, inner->retrieveOpType()), inner_(std::move(inner)) {}

  bool isCompleted() override { return inner_->isCompleted(); }
  bool wait(std::chrono::milliseconds timeout) override { return inner_->wait(timeout); }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override { return inner_->getFuture(); }
  bool isSuccess() const override { return inner_->isSuccess(); }
  std::exception_ptr exception() const override { return inner_->exception(); }
  int sourceRank() const override { return inner_->sourceRank(); }
  std::vector<at::Tensor> result() override { return inner_->result(); }
  void synchronize() override { inner_->synchronize(); }
  void abort() override { inner_->abort(); }
#ifdef LOCKSTEP_HAS_getDuration
  float getDuration() const override {
    return inner_->getDuration();
  }
#endif
#ifdef LOCKSTEP_HAS_getSequencenumber
  uint64_t getSequencenumber() const override {
    return inner_->getSequencenumber();
  }
#endif
#ifdef LOCKSTEP_HAS_getFutureResult
  c10::intrusive_ptr<c10::ivalue::Future> getFutureResult() override {
    return inner_->getFutureResult();
  }
#endif
#ifdef LOCKSTEP_HAS_blockCurrentStream
  void blockCurrentStream() override {
    inner_->blockCurrentStream();
  }
#endif

 protected:
  c10d::Work& inner() {
    return *inner_;
  }
  const c10::intrusive_ptr<c10d::Work>& held() const {
    return inner_;
  }

 private:
  c10::intrusive_ptr<c10d::Work> inner_;
};

}  // namespace lockstep::pytorch
