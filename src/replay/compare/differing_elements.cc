#include "replay/compare/differing_elements.h"

#include <cstring>

#include "record/payload.h"

namespace lockstep::replay {
namespace {

const std::vector<record::PayloadOutput>* outputs_of(const Recorded& recorded,
                                                     const record::PayloadKey& call) {
  const auto found = recorded.rank.results.find(call);
  return found == recorded.rank.results.end() ? nullptr : &found->second.outputs;
}

}  // namespace

ElementCount count_differing(std::span<const std::byte> first, std::span<const std::byte> second,
                             std::size_t width) {
  ElementCount count{.differing = 0, .of = first.size() / width};
  for (std::size_t at = 0; at + width <= first.size(); at += width) {
    if (std::memcmp(first.data() + at, second.data() + at, width) != 0) ++count.differing;
  }
  return count;
}

std::optional<ElementCount> differing_elements(const Recorded& first, const Recorded& second,
                                               const record::PayloadKey& call, std::size_t width) {
  const auto* const ones = outputs_of(first, call);
  const auto* const others = outputs_of(second, call);
  if (width == 0 || ones == nullptr || others == nullptr || ones->size() != others->size())
    return std::nullopt;
  ElementCount sum;
  for (std::size_t i = 0; i < ones->size(); ++i) {
    const record::PayloadOutput& one = (*ones)[i];
    const record::PayloadOutput& other = (*others)[i];
    if (one.bytes != other.bytes || one.bytes % width != 0) return std::nullopt;
    sum.of += one.bytes / width;
    if (one.hash == other.hash) continue;
    const auto here = record::read_content(first.recording, one);
    const auto there = record::read_content(second.recording, other);
    if (!here || !there) return std::nullopt;
    sum.differing += count_differing(*here, *there, width).differing;
  }
  return sum;
}

}  // namespace lockstep::replay
