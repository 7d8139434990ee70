#include "readers/open_input.h"

#include <random>
#include <sys/stat.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/byte_stream.h"
#include "readers/stream_input.h"
#include "readers/testing/compress.h"
#include "readers/testing/scratch_folder.h"

namespace lockstep::readers {
namespace {

using ::testing::HasSubstr;
using testing::ScratchFolder;

std::string text_of(std::size_t size) {
  std::mt19937 random(1);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % 6);
  return text;
}

Input decompress(std::string_view stored) {
  testing::MemoryStream stream(stored);
  Decompressed content(stream, stored);
  return read_whole(content, stored.size());
}

TEST(OpenInput, GivesTheBytesOfSmallAndLargeFiles) {
  const ScratchFolder folder;
  for (const std::size_t size : {0, 1, 4096, 17 << 20}) {
    const std::string content = text_of(size);
    const Input input = open_input(folder.write("x", content));
    EXPECT_TRUE(input.bytes.view() == content) << size;
    EXPECT_EQ(input.limit, "");
  }
}

TEST(OpenInput, SaysWhyAFileCannotBeRead) {
  const ScratchFolder folder;
  EXPECT_THAT(open_input(folder.path() / "missing").limit, HasSubstr("No such file"));
  EXPECT_THAT(open_input(folder.path()).limit, HasSubstr("directory"));
}

TEST(OpenInput, ReadsAPipeToItsEnd) {
  const ScratchFolder folder;
  const std::filesystem::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::string content = text_of(300'000);
  std::thread writer([&] { std::ofstream(pipe) << content; });
  const Input input = open_input(pipe);
  writer.join();
  EXPECT_TRUE(input.bytes.view() == content);
}

class Compressed : public ::testing::TestWithParam<testing::Compression> {};
INSTANTIATE_TEST_SUITE_P(Both, Compressed,
                         ::testing::Values(testing::Compression::kGzip, testing::Compression::kZstd));

TEST_P(Compressed, IsKnownByContentAndReadMemberByMember) {
  const ScratchFolder folder;
  const std::string first = text_of(1'000'000);
  const std::string second = text_of(77);
  const std::string stored = testing::compress(first, GetParam()) + testing::compress(second, GetParam());
  const Input input = open_input(folder.write("no_extension", stored));
  EXPECT_TRUE(input.bytes.view() == first + second);
  EXPECT_EQ(input.limit, "");
}

TEST_P(Compressed, CutAnywhereGivesAPrefixAndSaysSo) {
  const std::string content = text_of(3000);
  const std::string stored = testing::compress(content, GetParam());
  for (std::size_t size = 4; size < stored.size(); ++size) {
    const Input input = decompress(std::string_view(stored).substr(0, size));
    EXPECT_TRUE(content.starts_with(input.bytes.view()));
    EXPECT_THAT(input.limit, HasSubstr("ends early")) << size;
  }
}

TEST_P(Compressed, DamagedDataIsSaid) {
  std::string stored = testing::compress(text_of(100'000), GetParam());
  for (std::size_t at = stored.size() / 2; at < stored.size() / 2 + 64; ++at) stored[at] = '\x55';
  EXPECT_THAT(decompress(stored).limit, HasSubstr("damaged"));
}

TEST_P(Compressed, ABombIsCutShort) {
  const std::string stored = testing::compress(std::string(std::size_t{120} << 20, 'x'), GetParam());
  const Input input = decompress(stored);
  const std::size_t most = (std::size_t{64} << 20) + 256 * stored.size();
  EXPECT_EQ(input.bytes.view().size(), most + 1);
  EXPECT_THAT(input.limit, HasSubstr("expands to more than"));
}

}  // namespace
}  // namespace lockstep::readers
