#include "service/store/sqlite_log.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <span>
#include <vector>

namespace lockstep::service {
namespace {

// https://www.sqlite.org/fileformat2.html#walformat: numbers have their most significant byte first; the sums
// are over numbers in the order that the magic tells.
constexpr std::size_t kLogHeadBytes = 32;
constexpr std::size_t kFrameHeadBytes = 24;
constexpr std::size_t kSummedOfFrameHead = 8;
constexpr std::uint32_t kLogMagic = 0x377f0682;  // and one more: sums over numbers of the other order
constexpr std::uint32_t kLargestPage = 65536;

using LogBytes = std::span<const unsigned char>;

std::uint32_t log_number_at(LogBytes bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
         std::uint32_t{bytes[at + 2]} << 8 | bytes[at + 3];
}

struct LogSums {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  bool is_big_endian = false;

  void add(LogBytes bytes) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += next(bytes, at) + second;
      second += next(bytes, at + 4) + first;
    }
  }
  bool are_at(LogBytes bytes, std::size_t at) const {
    return log_number_at(bytes, at) == first && log_number_at(bytes, at + 4) == second;
  }

 private:
  std::uint32_t next(LogBytes bytes, std::size_t at) const {
    const std::uint32_t number = log_number_at(bytes, at);
    return is_big_endian ? number : __builtin_bswap32(number);
  }
};

struct LogHead {
  std::uint32_t page_bytes = 0;
  std::uint64_t salt = 0;
  LogSums sums;
};

std::uint64_t log_salt_at(LogBytes bytes, std::size_t at) {
  return std::uint64_t{log_number_at(bytes, at)} << 32 | log_number_at(bytes, at + 4);
}

std::optional<LogHead> read_log_head(std::ifstream& file) {
  std::array<unsigned char, kLogHeadBytes> bytes{};
  if (!file.read(reinterpret_cast<char*>(bytes.data()), kLogHeadBytes)) return std::nullopt;
  const std::uint32_t magic = log_number_at(bytes, 0);
  if ((magic & ~1U) != kLogMagic) return std::nullopt;
  LogHead head{.page_bytes = log_number_at(bytes, 8), .salt = log_salt_at(bytes, 16), .sums = {}};
  head.sums.is_big_endian = (magic & 1U) != 0;
  head.sums.add(LogBytes(bytes).first(24));
  const bool is_size = std::has_single_bit(head.page_bytes) && head.page_bytes >= 512;
  if (!is_size || head.page_bytes > kLargestPage || !head.sums.are_at(bytes, 24)) return std::nullopt;
  return head;
}

}  // namespace

std::optional<std::uint64_t> salt_of_log(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const auto head = read_log_head(file);
  return head ? std::optional(head->salt) : std::nullopt;
}

std::optional<LogExtent> extent_of_log(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  auto head = read_log_head(file);
  if (!head) return std::nullopt;
  LogExtent extent{.salt = head->salt};
  std::vector<unsigned char> frame(kFrameHeadBytes + head->page_bytes);
  for (std::uint32_t read = 1;
       file.read(reinterpret_cast<char*>(frame.data()), static_cast<std::streamsize>(frame.size())); ++read) {
    const LogBytes bytes(frame);
    head->sums.add(bytes.first(kSummedOfFrameHead));
    head->sums.add(bytes.subspan(kFrameHeadBytes));
    if (log_salt_at(bytes, 8) != head->salt || !head->sums.are_at(bytes, 16)) break;
    const bool is_commit = log_number_at(bytes, 4) != 0;
    if (is_commit) extent.frames = read;
  }
  return extent;
}

}  // namespace lockstep::service
