#include "model/collective.h"

namespace lockstep::model {

std::optional<std::int64_t> element_count(const std::vector<Shape>& shapes) {
  std::int64_t total = 0;
  for (const Shape& shape : shapes) {
    std::int64_t count = 1;
    for (const std::int64_t length : shape) {
      if (__builtin_mul_overflow(count, length, &count)) return std::nullopt;
    }
    if (__builtin_add_overflow(total, count, &total)) return std::nullopt;
  }
  return total;
}

}  // namespace lockstep::model
