#include "model/job.h"

#include <algorithm>
#include <functional>

namespace lockstep::model {
namespace {

class Hasher {
 public:
  template <typename T>
  void add(const T& value) {
    hash_ ^= std::hash<T>{}(value) + 0x9E3779B97F4A7C15U + (hash_ << 6) + (hash_ >> 2);
  }
  template <typename T>
  void add_all(const std::vector<T>& values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  std::size_t result() const { return hash_; }

 private:
  std::size_t hash_ = 0;
};

void add_shapes(Hasher& hasher, const std::vector<Shape>& shapes) {
  hasher.add(shapes.size());
  for (const Shape& shape : shapes) hasher.add_all(shape);
}

}  // namespace

std::size_t CollectiveHash::operator()(const Collective& collective) const {
  Hasher hasher;
  hasher.add(collective.operation);
  hasher.add(collective.reduce_op);
  hasher.add(collective.peer);
  hasher.add_all(collective.input_types);
  hasher.add_all(collective.output_types);
  add_shapes(hasher, collective.input_shapes);
  add_shapes(hasher, collective.output_shapes);
  return hasher.result();
}

std::size_t StackHash::operator()(const Stack& stack) const {
  Hasher hasher;
  for (const Frame& frame : stack) {
    hasher.add(frame.function);
    hasher.add(frame.file);
    hasher.add(frame.line);
  }
  return hasher.result();
}

std::size_t CommunicatorHash::operator()(const Communicator& communicator) const {
  Hasher hasher;
  hasher.add(communicator.name);
  hasher.add_all(communicator.members);
  return hasher.result();
}

const RankHistory* Job::find_rank(int number) const {
  const auto place = std::ranges::lower_bound(ranks, number, {},
                                              [](const RankHistory& history) { return history.rank.number; });
  return place != ranks.end() && place->rank.number == number ? &*place : nullptr;
}

}  // namespace lockstep::model
