// A file cut at every length, or zeroed or overwritten from every byte on, reads up to the damage and no
// further.
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <unistd.h>

#include <gtest/gtest.h>

#include "sample_recording.h"

namespace lockstep::tests {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

class Damage : public ::testing::Test {
 protected:
  void SetUp() override {
    write_sample(folder_ / "whole.lockstep");
    whole_ = bytes_of(folder_ / "whole.lockstep");
    // The allocated but unclaimed chunks behind the last record only cost time here.
    records_ = read_all(folder_ / "whole.lockstep").value().records;
    const std::uint64_t end = records_.back().offset + records_.back().bytes.size();
    whole_.resize((end + 4095) / 4096 * 4096);
  }

  void put(std::string_view bytes) {
    std::ofstream(folder_ / "damaged.lockstep", std::ios::binary | std::ios::trunc) << bytes;
  }
  void overwrite(std::size_t offset, std::string_view bytes) {
    std::fstream file(folder_ / "damaged.lockstep", std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(offset)) << bytes;
  }
  Result<Contents> read_damaged() { return read_all(folder_ / "damaged.lockstep"); }

  // How many of the first records end at or before this byte.
  std::size_t count_wholly_before(std::uint64_t end) const {
    std::size_t count = 0;
    while (count < records_.size() && records_[count].offset + records_[count].bytes.size() <= end) ++count;
    return count;
  }

  bool are_the_first_records(const std::vector<RecordCopy>& read) const {
    return read.size() <= records_.size() && std::equal(read.begin(), read.end(), records_.begin());
  }

  const ScratchFolder folder_;
  std::string whole_;
  std::vector<RecordCopy> records_;
};

TEST_F(Damage, CutAtEveryLengthReadsExactlyTheRecordsBeforeTheCut) {
  put(whole_);
  const std::string path = folder_ / "damaged.lockstep";
  for (std::size_t length = whole_.size(); length-- > 0;) {
    ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(length)), 0);
    const Result<Contents> contents = read_damaged();
    if (!contents.ok()) {
      ASSERT_LT(length, sizeof(lockstep_file_header)) << contents.error().why;
      continue;
    }
    ASSERT_EQ(contents.value().records.size(), count_wholly_before(length)) << "cut at " << length;
    ASSERT_TRUE(are_the_first_records(contents.value().records)) << "cut at " << length;
    const bool is_at_chunk_end = length % 4096 == 0;
    const bool says_so = contents.value().stats.is_damaged() || !contents.value().stats.has_goodbye;
    ASSERT_TRUE(says_so) << "cut at " << length;
    if (!is_at_chunk_end) {
      ASSERT_EQ(contents.value().stats.cut_at, length);
    }
  }
}

TEST_F(Damage, ZeroedFromEveryByteOnInventsNothing) {
  put(whole_);
  for (std::size_t start = whole_.size(); start-- > 0;) {
    if (whole_[start] == '\0') continue;  // the same file as before
    overwrite(start, std::string(1, '\0'));
    const Result<Contents> contents = read_damaged();
    if (!contents.ok()) {
      ASSERT_LT(start, sizeof(lockstep_file_header)) << contents.error().why;
      continue;
    }
    const std::vector<RecordCopy>& read = contents.value().records;
    ASSERT_GE(read.size(), count_wholly_before(start)) << "zeroed from " << start;
    ASSERT_TRUE(are_the_first_records(read)) << "zeroed from " << start;
    const bool says_so = contents.value().stats.is_damaged() || !contents.value().stats.has_goodbye;
    ASSERT_TRUE(says_so || read.size() == records_.size()) << "zeroed from " << start;
  }
}

TEST_F(Damage, GarbageFromEveryByteOnReadsExactlyTheRecordsBeforeIt) {
  std::mt19937_64 random(20261115);
  std::string garbage = whole_;
  for (char& byte : garbage) byte = static_cast<char>(byte ^ (1 + random() % 255));  // never the right one
  put(whole_);
  for (std::size_t start = whole_.size(); start-- > sizeof(lockstep_file_header);) {
    overwrite(start, garbage.substr(start, 1));
    const Result<Contents> contents = read_damaged();
    ASSERT_TRUE(contents.ok()) << contents.error().why;
    ASSERT_EQ(contents.value().records.size(), count_wholly_before(start)) << "garbage from " << start;
    ASSERT_TRUE(are_the_first_records(contents.value().records)) << "garbage from " << start;
    const record::ReadStats& stats = contents.value().stats;
    ASSERT_TRUE(stats.damaged_chunks != 0 || stats.unfinished_records != 0) << "garbage from " << start;
  }
}

TEST_F(Damage, OneFlippedBitLosesAtMostTheRestOfItsChunk) {
  std::mt19937_64 random(7);
  put(whole_);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t bit = random() % ((whole_.size() - 4096) * 8) + 4096 * 8;
    const char flipped = static_cast<char>(whole_[bit / 8] ^ (1 << bit % 8));
    overwrite(bit / 8, {&flipped, 1});
    const Result<Contents> contents = read_damaged();
    ASSERT_TRUE(contents.ok());
    const std::vector<RecordCopy>& read = contents.value().records;
    const std::uint64_t damaged_chunk = bit / 8 / 4096;
    std::size_t found = 0;
    for (const RecordCopy& record : records_) {
      const bool is_read = found < read.size() && read[found] == record;
      if (is_read) ++found;
      ASSERT_TRUE(is_read || record.offset / 4096 == damaged_chunk) << "bit " << bit;
    }
    ASSERT_EQ(found, read.size()) << "bit " << bit << ": something was invented";
    overwrite(bit / 8, {&whole_[bit / 8], 1});
  }
}

}  // namespace
}  // namespace lockstep::tests
