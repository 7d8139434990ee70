// What communicators are called in every process: their ids belong to one recording, payload outlives it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lockstep::recorder {

class CommunicatorNames {
 public:
  int create();  // 0 or an errno

  // True when it was not known.
  bool remember(std::uint32_t id, std::uint64_t name);

  std::uint64_t name(std::uint32_t id) const;  // 0: not known

 private:
  static constexpr std::size_t kCapacity = std::size_t{1} << 18;  // ids of definitions need 17 bits

  std::atomic<std::uint64_t>* names_ = nullptr;
};

}  // namespace lockstep::recorder
