// A recording reads the same from memory as from its file, and around the places its medium cannot read.
#include "record/byte_source.h"

#include <cerrno>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "record/follower.h"
#include "sample_recording.h"

namespace lockstep::tests {
namespace {

using record::ByteSource;
using record::Reader;

std::string bytes_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

Contents contents_of(std::unique_ptr<ByteSource> bytes, record::ChunkFilter filter) {
  auto reader = Reader::over(std::move(bytes), "test", filter);
  Contents contents;
  if (!reader.ok()) return contents;
  while (const record::RecordView* view = reader.value().next()) {
    contents.records.push_back(
        {view->offset, view->type, std::string(reinterpret_cast<const char*>(view->data), view->length)});
  }
  contents.stats = reader.value().stats();
  return contents;
}

// A disk whose sectors in some chunks have gone bad.
class FailingBytes : public ByteSource {
 public:
  FailingBytes(std::string_view bytes, std::set<std::uint64_t> bad_chunks)
      : bytes_(record::byte_source_over(bytes)), bad_chunks_(std::move(bad_chunks)) {}

  std::uint64_t size() const override { return bytes_->size(); }
  std::optional<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) override {
    if (bad_chunks_.count(offset / 4096) != 0) {
      errno = EIO;
      return std::nullopt;
    }
    return bytes_->read(offset, into);
  }

 private:
  std::unique_ptr<ByteSource> bytes_;
  std::set<std::uint64_t> bad_chunks_;
};

class ByteSources : public ::testing::Test {
 protected:
  void SetUp() override {
    write_sample(folder_ / "sample.lockstep");
    bytes_ = bytes_of(folder_ / "sample.lockstep");
    records_ = read_all(folder_ / "sample.lockstep").value().records;
  }

  const ScratchFolder folder_;
  std::string bytes_;
  std::vector<RecordCopy> records_;
};

TEST_F(ByteSources, MemoryReadsAsTheFileDoes) {
  EXPECT_EQ(contents_of(record::byte_source_over(bytes_), record::ChunkFilter::kAll).records, records_);
}

TEST_F(ByteSources, MemoryThatEndsInsideAChunkIsACutFile) {
  const std::string_view cut = std::string_view(bytes_).substr(0, 4096 * 2 + 1000);
  const Contents contents = contents_of(record::byte_source_over(cut), record::ChunkFilter::kAll);
  EXPECT_EQ(contents.stats.cut_at, 4096 * 2 + 1000);
  ASSERT_FALSE(contents.records.empty());
  EXPECT_LE(contents.records.back().offset + contents.records.back().bytes.size(), cut.size());
}

TEST_F(ByteSources, AnUnreadableChunkIsCountedAndTheNextOneRead) {
  const std::uint64_t bad = records_[records_.size() / 2].offset / 4096;
  std::vector<RecordCopy> expected = records_;
  std::erase_if(expected, [bad](const RecordCopy& record) { return record.offset / 4096 == bad; });
  ASSERT_LT(expected.size(), records_.size());
  ASSERT_GT(expected.back().offset / 4096, bad) << "there is something to read behind it";

  const Contents contents = contents_of(std::make_unique<FailingBytes>(bytes_, std::set<std::uint64_t>{bad}),
                                        record::ChunkFilter::kAll);
  EXPECT_EQ(contents.records, expected);
  EXPECT_EQ(contents.stats.damaged_chunks, 1U);
  EXPECT_EQ(contents.stats.lost_bytes, 4096U);
  EXPECT_EQ(contents.stats.first_damage, bad * 4096);
  EXPECT_TRUE(contents.stats.is_damaged());
}

TEST_F(ByteSources, DefinitionsAreReadAroundAnUnreadableChunkToo) {
  const Contents whole = contents_of(record::byte_source_over(bytes_), record::ChunkFilter::kDefinitions);
  const std::uint64_t bad = whole.records.front().offset / 4096;
  const Contents contents = contents_of(std::make_unique<FailingBytes>(bytes_, std::set<std::uint64_t>{bad}),
                                        record::ChunkFilter::kDefinitions);
  EXPECT_FALSE(contents.records.empty());
  EXPECT_LT(contents.records.size(), whole.records.size());
  EXPECT_EQ(contents.stats.damaged_chunks, 1U);
}

// Of which the file system knows that nobody ever wrote there: read to its end it would take hours.
TEST_F(ByteSources, AHoleOfATerabyteIsPassedOver) {
  const std::filesystem::path path = folder_ / "sample.lockstep";
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  EXPECT_EQ(read_all(path).value().records, records_);
  auto follower = record::Follower::open(path);
  ASSERT_TRUE(follower.ok());
  std::size_t followed = 0;
  follower.value().poll([&](const record::RecordView&) { ++followed; });
  EXPECT_EQ(followed, records_.size());
}

TEST_F(ByteSources, AnUnreadableHeaderIsAnError) {
  const auto reader =
      Reader::over(std::make_unique<FailingBytes>(bytes_, std::set<std::uint64_t>{0}), "disk/rank_0");
  ASSERT_FALSE(reader.ok());
  EXPECT_EQ(reader.error().where, "disk/rank_0");
}

}  // namespace
}  // namespace lockstep::tests
