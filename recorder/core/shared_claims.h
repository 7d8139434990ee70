// What the ranks of a host must agree on while their payload is kept: a table in a file that all of them map.
//
// Which contents some rank already keeps, and in which generation of parts: who puts a content's name in
// first keeps its bytes. Content of an older generation may be removed before the caller's, so it is kept
// once more. A name may be forgotten when its place is needed: then bytes are kept twice.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lockstep::recorder {

class SharedClaims {
 public:
  // 0 or an errno. Where no such file can be had the rank has a table of its own.
  int open(const char* path);

  // True when nobody has claimed it before in this generation or a later one: the caller keeps the bytes.
  bool claim(std::uint64_t name, std::uint32_t generation);

  // A rank can no longer keep bytes, so that those of the others are of no use.
  void stop_all();
  bool have_all_stopped() const;

  // The job saved a checkpoint when so many steps had ended.
  void note_checkpoint(std::uint64_t step);
  std::uint32_t checkpoints() const;  // that were saved after different numbers of steps

 private:
  static constexpr std::size_t kSets = std::size_t{1} << 16;
  static constexpr std::size_t kWays = 4;
  static constexpr std::size_t kHeadWords = 512;
  static constexpr std::size_t kBytes = (kHeadWords + kSets * kWays) * sizeof(std::uint64_t);
  static constexpr int kGenerationBits = 20;
  static constexpr std::uint64_t kGenerations = (std::uint64_t{1} << kGenerationBits) - 1;
  static constexpr int kStepBits = 44;

  static void* map_file(const char* path);

  std::atomic<std::uint64_t>* head_ =
      nullptr;  // whether all have stopped; checkpoints and the last one's step
  std::atomic<std::uint64_t>* names_ = nullptr;  // 0: free; else a name's upper bits and a generation
};

}  // namespace lockstep::recorder
