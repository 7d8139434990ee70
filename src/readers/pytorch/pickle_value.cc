#include "readers/pytorch/pickle_value.h"

namespace lockstep::readers {

PickleStore::PickleStore(std::size_t bytes)
    : most_containers_((std::size_t{1} << 20) + bytes / 8), most_values_((std::size_t{1} << 21) + bytes / 2) {
  containers_.reserve(256);
  grow_to(2048);
}

std::uint32_t PickleStore::add_copy_of(std::uint64_t container) {
  const Container from = containers_[container];
  const std::uint32_t copy = add({});
  if (from.count > 0) make_room(containers_[copy], from.count);
  std::copy_n(values_.get() + from.first, from.count, values_.get() + containers_[copy].first);
  containers_[copy].count = from.count;
  return copy;
}

void PickleStore::grow_to(std::size_t wanted) {
  const std::size_t capacity = std::max(wanted, 2 * capacity_);
  auto larger = std::make_unique_for_overwrite<PickleValue[]>(capacity);
  std::copy_n(values_.get(), used_, larger.get());
  values_ = std::move(larger);
  capacity_ = capacity;
}

// At the end of the arena. What moves there a second time gets as much again, so that appending one by one to
// many lists in turn stays linear.
void PickleStore::make_room(Container& container, std::uint32_t count) {
  const bool is_last = container.capacity > 0 && container.first + container.capacity == used_;
  const std::size_t wanted = std::size_t{container.count} + count;
  const std::size_t capacity = std::max<std::size_t>(wanted, 2 * std::size_t{container.capacity});
  const std::size_t first = is_last ? container.first : used_;
  if (first + capacity > capacity_) grow_to(first + capacity);
  if (!is_last) std::copy_n(values_.get() + container.first, container.count, values_.get() + first);
  used_ = first + capacity;
  container.first = static_cast<std::uint32_t>(first);
  container.capacity = static_cast<std::uint32_t>(capacity);
}

}  // namespace lockstep::readers
