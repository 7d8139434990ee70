#include "readers/read_all.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "readers/testing/compress.h"
#include "readers/testing/dumps.h"
#include "readers/testing/scratch_folder.h"

namespace lockstep::readers {
namespace {

using ::testing::Contains;
using testing::dump_named;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScratchFolder;

std::string dump_with(int entries) {
  std::string text = R"({"pg_config":{},"entries":[)";
  for (int entry = 0; entry < entries; ++entry) {
    text += (entry == 0 ? "" : ",");
    text += R"({"profiling_name":"nccl:all_reduce","collective_seq_id":)" + std::to_string(entry + 1) + "}";
  }
  return text + "]}";
}

std::vector<std::size_t> events_of(const ReadResult& result) {
  std::vector<std::size_t> counts;
  for (const model::Job& part : result.parts) counts.push_back(part.ranks.front().events.size());
  return counts;
}

TEST(ReadAll, ReadsWhatItKnowsAndNamesWhatItDoesNot) {
  const ScratchFolder folder;
  folder.write("dumps/rank_0", dump_named("gloo/nccl_trace_rank_0"));
  folder.write("dumps/rank_1.gz", testing::gzip(dump_named("gloo/nccl_trace_rank_1")));
  folder.write("dumps/rank_2", "");
  folder.write("weights.bin", std::string("nothing\0anybody knows", 21));
  folder.write("train.log", "step 1 loss 0.5\n");
  folder.write("nothing.txt", "");
  const ReadResult result = read_all({folder.path()});
  EXPECT_THAT(events_of(result), ElementsAre(10U, 9U, 0U));
  EXPECT_EQ(result.files_read, 3U);
  EXPECT_THAT(result.unknown_files, ElementsAre(EndsWith("weights.bin")));
  ASSERT_EQ(result.logs.size(), 1U);
  EXPECT_EQ(result.logs.front().bytes.view(), "step 1 loss 0.5\n");
  EXPECT_THAT(result.limits, ElementsAre(HasSubstr("nothing.txt: empty")));
  EXPECT_THAT(result.parts[2].limits, ElementsAre(EndsWith("dumps/rank_2: empty")));
}

TEST(ReadAll, CountsCopiesOnce) {
  const ScratchFolder folder;
  const std::string dump = dump_named("gloo/nccl_trace_rank_0");
  folder.write("a/rank_0", dump);
  folder.write("b/rank_0.gz", testing::gzip(dump));
  folder.write("a/another.pickle", dump);
  folder.write("a/rank_1", dump);  // another rank may well have done the same
  for (const unsigned threads : {1U, 4U}) {
    const ReadResult result =
        read_all({folder.path()}, {.budget = {}, .on_progress = {}, .threads = threads});
    EXPECT_EQ(result.files_read, 2U);
    EXPECT_THAT(result.limits,
                ElementsAre(EndsWith("a/rank_0; counted once"), EndsWith("a/rank_0; counted once")));
  }
}

TEST(ReadAll, KeepsTheLastEventsOfEachRankWithinTheBudget) {
  const ScratchFolder folder;
  for (int rank = 0; rank < 30; ++rank)
    folder.write("rank_" + std::to_string(100 + rank), dump_with(10 * rank));
  const ReadResult alone = read_all({folder.path()}, {.budget = {1000}, .on_progress = {}, .threads = 1});
  const ReadResult together = read_all({folder.path()}, {.budget = {1000}, .on_progress = {}, .threads = 8});
  EXPECT_EQ(events_of(alone), events_of(together));
  std::size_t kept = 0;
  for (const std::size_t count : events_of(alone)) kept += count;
  EXPECT_LE(kept, 1000U);
  EXPECT_GT(kept, 900U);
  EXPECT_THAT(alone.limits, Contains(HasSubstr("4350 events are more than the 1000 that are kept")));
  const model::RankHistory& longest = alone.parts.back().ranks.front();
  EXPECT_EQ(longest.events.back().sequence, 290U);
  EXPECT_FALSE(longest.begins_at_start);
  EXPECT_TRUE(alone.parts.front().ranks.front().begins_at_start);
}

TEST(ReadAll, TellsHowFarItIs) {
  const ScratchFolder folder;
  for (int rank = 0; rank < 20; ++rank) folder.write("rank_" + std::to_string(rank), dump_with(rank));
  std::size_t calls = 0;
  ReadProgress last;
  ReadOptions options;
  options.threads = 4;
  options.on_progress = [&](const ReadProgress& progress) {
    ++calls;
    EXPECT_EQ(progress.files_done, last.files_done + 1);
    last = progress;
  };
  const ReadResult result = read_all({folder.path()}, options);
  EXPECT_EQ(calls, 20U);
  EXPECT_EQ(last.files, 20U);
  EXPECT_GT(last.bytes_done, 20U);
}

TEST(ReadAll, NothingThereIsALimit) {
  const ScratchFolder folder;
  const ReadResult result = read_all({folder.path() / "missing"});
  EXPECT_THAT(result.parts, IsEmpty());
  EXPECT_THAT(result.limits, ElementsAre(HasSubstr("missing: No such file")));
}

TEST(ReadAll, SaysWhenCompressedDataEndsEarly) {
  const ScratchFolder folder;
  const std::string stored = testing::zstd(dump_named("gloo/nccl_trace_rank_0"));
  folder.write("rank_0.zst", stored.substr(0, stored.size() - 10));
  const ReadResult result = read_all({folder.path()});
  EXPECT_EQ(result.files_read, 1U);
  EXPECT_THAT(result.limits, ElementsAre(HasSubstr("the compressed data ends early")));
}

}  // namespace
}  // namespace lockstep::readers
