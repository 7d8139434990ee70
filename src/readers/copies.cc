#include "readers/copies.h"

#include <algorithm>
#include <vector>
#include <xxhash.h>

#include "base/mapped_file.h"

namespace lockstep::readers {

namespace {

constexpr std::size_t kLargestWhole = std::size_t{4} << 20;
constexpr std::size_t kSamples = 16;
constexpr std::size_t kSampleBytes = std::size_t{64} << 10;

}  // namespace

Digest digest_of(std::string_view bytes) {
  if (bytes.size() <= kLargestWhole) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return {.low = hash.low64, .high = hash.high64};
  }
  std::vector<std::uint64_t> hashes = {bytes.size()};
  for (std::size_t i = 0; i < kSamples; ++i) {
    const std::size_t at = (bytes.size() - kSampleBytes) / (kSamples - 1) * i;
    hashes.push_back(XXH3_64bits(bytes.data() + at, kSampleBytes));
  }
  const XXH128_hash_t hash = XXH3_128bits(hashes.data(), hashes.size() * sizeof(std::uint64_t));
  return {.low = hash.low64, .high = hash.high64};
}

bool is_same(std::string_view one, std::string_view other, bool are_mapped_files) {
  if (one.size() != other.size()) return false;
  for (std::size_t at = 0; at < one.size(); at += kLargestWhole) {
    const std::string_view part = one.substr(at, kLargestWhole);
    const std::string_view like = other.substr(at, kLargestWhole);
    if (part != like) return false;
    if (!are_mapped_files) continue;
    base::forget_pages(part);
    base::forget_pages(like);
  }
  return true;
}

std::optional<std::size_t> Copies::first_like(std::size_t file, const Digest& digest,
                                              const RankInName& writer) {
  std::map<Writer, std::size_t>& alike = files_[digest];
  const bool is_of_nobody = writer == RankInName{};
  if (is_of_nobody && !alike.empty()) return alike.begin()->second;
  const auto [place, is_new] =
      alike.try_emplace(Writer(writer.rank, writer.local_rank, writer.restart, writer.host), file);
  return is_new ? std::nullopt : std::optional(place->second);
}

}  // namespace lockstep::readers
