#include "network/pairs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::network {
namespace {

RC_GTEST_PROP(BitMatrix, TransposedTwiceIsTheSameAndOnceIsMirrored, ()) {
  const auto size = *rc::gen::inRange<std::size_t>(1, 200);
  BitMatrix matrix(size);
  const auto places = *rc::gen::container<std::vector<std::pair<std::size_t, std::size_t>>>(
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, size), rc::gen::inRange<std::size_t>(0, size)));
  for (const auto& [row, column] : places) matrix.set(row, column);
  const BitMatrix mirrored = matrix.transposed();
  RC_ASSERT(mirrored.count() == matrix.count());
  for (const auto& [row, column] : places) RC_ASSERT(mirrored.has(column, row));
}

}  // namespace
}  // namespace lockstep::network
