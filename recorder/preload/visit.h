// One call from an adapter into the recorder: finds the session, keeps errno, and turns away a signal handler
// that came in while its thread was already inside.
#pragma once

#include <errno.h>

#include "session.h"
#include "thread_state.h"

namespace lockstep::recorder {

class Visit {
 public:
  Visit() : session_(Session::recording()) {
    if (session_ == nullptr) return;
    if (thread_state.is_inside) {
      session_->writer().count_dropped();
      session_ = nullptr;
      return;
    }
    errno_ = errno;
    thread_state.is_inside = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
  }
  ~Visit() {
    if (session_ == nullptr) return;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread_state.is_inside = false;
    errno = errno_;
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  explicit operator bool() const { return session_ != nullptr; }
  Session* operator->() const { return session_; }

  template <typename Record>
  void write(const Record& record) const {
    if (Lane* lane = session_->lane()) {
      lane->write(record);
    } else {
      session_->writer().count_dropped();
    }
  }

 private:
  Session* session_;
  int errno_ = 0;
};

}  // namespace lockstep::recorder
