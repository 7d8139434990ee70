#include "readers/format.h"

#include <algorithm>
#include <array>

#include "readers/pytorch/flight_recorder_pickle.h"

namespace lockstep::readers {

// In the order in which they are asked.
std::span<const Format> all_formats() {
  static constexpr std::array kFormats = {
      Format{"PyTorch flight recorder dump", is_flight_recorder_pickle, read_flight_recorder_pickle},
  };
  return kFormats;
}

const Format* sniff(const Source& source) {
  const auto formats = all_formats();
  const auto found =
      std::ranges::find_if(formats, [&](const Format& format) { return format.recognises(source); });
  return found == formats.end() ? nullptr : &*found;
}

}  // namespace lockstep::readers
