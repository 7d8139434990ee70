// An array for the length of a call: on the stack when it is small, in memory of our own otherwise; never
// from the process's allocator.
#pragma once

#include <cstddef>
#include <sys/mman.h>

namespace lockstep::adapters::mpi {

template <typename Item>
class LocalArray {
 public:
  explicit LocalArray(int count) : bytes_(static_cast<std::size_t>(count) * sizeof(Item)) {
    if (count <= kMostOnStack) {
      items_ = on_stack_;
      return;
    }
    void* place = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place != MAP_FAILED) items_ = static_cast<Item*>(place);
  }
  ~LocalArray() {
    if (items_ != nullptr && items_ != on_stack_) ::munmap(items_, bytes_);
  }
  LocalArray(const LocalArray&) = delete;
  LocalArray& operator=(const LocalArray&) = delete;

  Item* data() { return items_; }  // null: there was no memory

 private:
  static constexpr int kMostOnStack = 128;

  Item on_stack_[kMostOnStack];
  Item* items_ = nullptr;
  std::size_t bytes_;
};

}  // namespace lockstep::adapters::mpi
