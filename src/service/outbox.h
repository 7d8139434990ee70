// Changes on their way into the store. One that it cannot take now waits here with those behind it, in their
// order, until it can.
#pragma once

#include <deque>
#include <utility>

#include "service/store/store.h"

namespace lockstep::service {

class Outbox {
 public:
  // An error: it was not written yet, and will be.
  Result<void> write(Store& store, Change change) {
    changes_.push_back(std::move(change));
    return write_all(store);
  }

  Result<void> write_all(Store& store) {
    for (; !changes_.empty(); changes_.pop_front()) TRY(store.apply(changes_.front()));
    return {};
  }

  bool is_empty() const { return changes_.empty(); }

 private:
  std::deque<Change> changes_;
};

}  // namespace lockstep::service
