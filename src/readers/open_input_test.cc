#include "readers/open_input.h"

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <sys/stat.h>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/byte_stream.h"
#include "readers/read_all.h"
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

TEST(OpenInput, RefusesAPipeThatSomebodyElseChose) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(open_input(folder.path() / "pipe", {.telling_lines = {}, .may_be_pipe = false}).limit,
              HasSubstr("not a regular file"));
}

TEST(OpenInput, BeginsBehindTheHoleOfALogThatWasEmptiedUnderItsWriter) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.write("log", "the only line\n");
  std::filesystem::resize_file(path, 0);
  std::filesystem::resize_file(path, std::uintmax_t{64} << 30);
  std::ofstream(path, std::ios::app) << "the only line\n";
  const Input input = open_input(path);
  EXPECT_EQ(input.limit, "");
  EXPECT_LT(input.bytes.view().size(), std::size_t{1} << 20);
  EXPECT_TRUE(input.bytes.view().ends_with("the only line\n"));
}

TEST(OpenInput, LeavesAStreamOfNoKindAfterItsStart) {
  constexpr std::size_t kLooked = std::size_t{64} << 10;
  const std::string endless(1 << 20, '\0');  // as /dev/zero
  testing::MemoryStream stream(endless);
  const Input input = read_stream(stream, "-", {.telling_lines = {}, .longest_whole = kLooked});
  EXPECT_EQ(input.bytes.view().size(), kLooked);
  EXPECT_THAT(input.limit, HasSubstr("unknown format"));
}

TEST(OpenInput, SurvivesAFileThatIsCutWhileItIsLookedAt) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.write("log", std::string(17 << 20, 'x'));
  const Input input = open_input(path);
  ASSERT_TRUE(input.bytes.is_mapped_file());
  EXPECT_FALSE(input.bytes.has_shrunk());
  std::filesystem::resize_file(path, 4096);
  EXPECT_EQ(std::ranges::count(input.bytes.view(), 'x'), 4096);
  EXPECT_TRUE(input.bytes.has_shrunk());
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

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::size_t kWindow = std::size_t{256} << 10;

// Lines that say "worth"; the kind is the digit before the word.
std::vector<TellingLine> lines_worth_it(std::string_view text) {
  std::vector<TellingLine> lines;
  for (std::size_t at = text.find(" worth"); at != std::string_view::npos; at = text.find(" worth", at + 1)) {
    const std::size_t newline = text.substr(0, at).rfind('\n');
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    lines.push_back({static_cast<unsigned>(text[at - 1]), begin, std::min(text.find('\n', at), text.size())});
  }
  return lines;
}

Input condensed(std::string_view text) {
  testing::MemoryStream stream(text);
  return read_stream(stream, "train.log", {lines_worth_it, kWindow});
}

std::string ordinary_lines(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "step " + std::to_string(i) + std::string(random() % 60, '.') + "\n";
  return text;
}

std::string_view line_at(std::string_view text, std::size_t place) {
  const std::size_t begin = text.rfind('\n', place) + 1;
  return text.substr(begin, text.find('\n', place) - begin);
}

TEST(CondensedLog, ShorterStreamsAreKeptWhole) {
  const std::string text = ordinary_lines(2000, 1);
  ASSERT_LT(text.size(), kWindow);
  const Input input = condensed(text);
  EXPECT_TRUE(input.bytes.view() == text);
  EXPECT_FALSE(input.lines);
}

TEST(CondensedLog, KeepsStartEndAndTellingLinesWithTheirNumbers) {
  std::string text = ordinary_lines(30'000, 1);
  std::vector<std::string> wanted;
  for (int i = 0; i < 20; ++i) {
    const std::string word = "9 worth number " + std::to_string(i) + ";";
    wanted.push_back(word);
    text += word + "\n" + ordinary_lines(3000, static_cast<std::uint32_t>(i));
  }
  const Input input = condensed(text);
  const std::string_view kept = input.bytes.view();
  EXPECT_LT(kept.size(), text.size() / 4);
  EXPECT_TRUE(kept.starts_with(text.substr(0, kWindow / 16)));
  EXPECT_TRUE(kept.ends_with(text.substr(text.size() - kWindow / 8)));
  ASSERT_TRUE(input.lines);
  EXPECT_EQ(input.lines->end(), kept.size());
  EXPECT_FALSE(input.lost_lines);
  const base::LineMarks from_start;
  for (const std::string& word : wanted) {
    const std::size_t place = kept.find(word);
    ASSERT_NE(place, std::string_view::npos) << word;
    EXPECT_EQ(input.lines->line_at(kept, place), from_start.line_at(text, text.find(word))) << word;
    EXPECT_EQ(line_at(kept, place), word);
  }
  const std::size_t last = kept.size() - 2;
  EXPECT_EQ(input.lines->line_at(kept, last), from_start.line_at(text, text.size() - 2));
}

TEST(CondensedLog, KeepsFewerAndFewerOfALineThatRepeats) {
  std::string text = ordinary_lines(10'000, 1);
  for (int i = 0; i < 40'000; ++i) text += "7 worth it" + std::string(2000, '.') + "\n";
  text += "8 worth it\n" + ordinary_lines(10'000, 1);
  const Input input = condensed(text);
  EXPECT_TRUE(input.lost_lines || input.bytes.view().size() < text.size() / 4);
  EXPECT_LT(input.bytes.view().size(), 3 * kWindow);
}

TEST(CondensedLog, KeepsStacksAndEventsOfNccl) {
  const std::string stacks =
      "Thread 0x00007f (most recent call first):\n  File \"/train.py\", line 7 in all_reduce\n";
  const std::string event =
      "node1:436:436 [0] NCCL INFO AllReduce: opCount 2a sendbuff 0x1 recvbuff 0x1 count 4 datatype 7 "
      "op 0 "
      "root 0 comm 0x10 [nranks=3] stream 0x20\n";
  const std::string talk = "node1:436:436 [0] NCCL INFO Channel 00/02 : 0 1 2\n";
  const std::string between = ordinary_lines(30'000, 1);
  const Input input = condensed(between + stacks + between + event + between + talk + between);
  EXPECT_NE(input.bytes.view().find(stacks), std::string_view::npos);
  EXPECT_NE(input.bytes.view().find(event), std::string_view::npos);
  EXPECT_EQ(input.bytes.view().find(talk), std::string_view::npos);
}

TEST(CondensedLog, OneEndlessLineIsNoTrouble) {
  const Input input = condensed(std::string(5 * kWindow, 'x'));
  EXPECT_LT(input.bytes.view().size(), kWindow);
  EXPECT_EQ(input.lines->line_at(input.bytes.view(), input.bytes.view().size()), 1);
}

TEST(CondensedLog, OtherContentIsKeptWhole) {
  const std::string dump = R"({"schemaVersion": 1, "traceEvents": [)" + std::string(3 * kWindow, ' ') + "]}";
  testing::MemoryStream stream(dump);
  EXPECT_TRUE(read_stream(stream, "trace.json", {lines_worth_it, kWindow}).bytes.view() == dump);
}

TEST(CondensedLog, EqualStreamsAreKnownAsCopies) {
  const testing::ScratchFolder folder;
  const std::string text = ordinary_lines(1'700'000, 1);
  folder.write("a.log.zst", testing::zstd(text));
  folder.write("b.log.zst", testing::zstd(text));
  ReadOptions options;
  options.telling_lines = lines_worth_it;
  const ReadResult result = read_all({folder.path()}, options);
  ASSERT_THAT(result.logs, SizeIs(1));
  EXPECT_LT(result.logs.front().bytes.view().size(), text.size() / 4);
  EXPECT_THAT(result.limits, ::testing::ElementsAre(HasSubstr("a copy of")));
}

}  // namespace

}  // namespace lockstep::readers
