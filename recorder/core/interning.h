// Finds definitions that were written before. The definitions themselves are in the record file; this table
// only points at them, so a look-up needs no lock and no copy.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lockstep::recorder {

// Definitions agree in everything but their head and id, which are their first 12 bytes.
inline constexpr std::size_t kDefinitionKeyOffset = 12;

class Interning {
 public:
  int create();  // 0 or an errno
  void destroy();

  // The id of an equal definition of this type, or 0. `record` is the whole record, head and id ignored.
  std::uint32_t find(std::uint8_t type, const char* record, std::size_t length) const;

  // Remembers a definition that stands at `record` in the file for good. The caller holds `lock`.
  void insert(std::uint8_t type, const char* record, std::size_t length);

  bool is_full() const { return count_ >= kCapacity / 4 * 3; }
  std::uint32_t next_id() const { return static_cast<std::uint32_t>(count_ + 1); }
  std::atomic<bool>& lock() { return lock_; }

 private:
  static constexpr std::size_t kCapacity = std::size_t{1} << 17;

  using Slot = std::atomic<const char*>;
  Slot* slots_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<bool> lock_{false};
};

}  // namespace lockstep::recorder
