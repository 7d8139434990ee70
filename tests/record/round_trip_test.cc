// What the recorder writes is what the reader gives back.
#include <fstream>
#include <map>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/definitions.h"
#include "record/dump.h"
#include "record/recording.h"
#include "sample_recording.h"

namespace lockstep::tests {
namespace {

using record::Reader;
using ::testing::ElementsAre;

TEST(RoundTrip, TheHeaderSaysWhoWroteIt) {
  const ScratchFolder folder;
  write_sample(folder / "sample.lockstep");
  const auto reader = Reader::open(folder / "sample.lockstep");
  ASSERT_TRUE(reader.ok()) << reader.error().why;
  const lockstep_file_header& header = reader.value().header();
  EXPECT_STREQ(header.job, "sample");
  EXPECT_STREQ(header.host, "node-a");
  EXPECT_EQ(header.rank, 1);
  EXPECT_EQ(header.world_size, 4);
  EXPECT_EQ(header.restart, 2U);
  EXPECT_EQ(header.pid, static_cast<std::uint64_t>(::getpid()));
  EXPECT_GT(header.wall_ns, 1'600'000'000'000'000'000U);
}

TEST(RoundTrip, EveryRecordComesBackAsItWasWritten) {
  const ScratchFolder folder;
  write_sample(folder / "sample.lockstep");
  auto reader = Reader::open(folder / "sample.lockstep");
  ASSERT_TRUE(reader.ok());
  std::map<std::uint32_t, std::uint64_t> next_index;
  std::map<std::uint8_t, int> count_of_type;
  while (const record::RecordView* view = reader.value().next()) {
    ++count_of_type[view->type];
    const auto* call = view->type == LOCKSTEP_RECORD_CALL ? view->as<lockstep_call>() : nullptr;
    if (call == nullptr || call->time_ns >= 1'000'000'000) continue;
    lockstep_call expected = numbered_call(view->thread, next_index[view->thread]++, call->name);
    expected.head = call->head;
    EXPECT_EQ(std::memcmp(call, &expected, sizeof expected), 0) << "thread " << view->thread;
  }
  EXPECT_EQ(next_index[101], 150U);
  EXPECT_EQ(next_index[102], 50U);
  EXPECT_EQ(next_index[103], 1U) << "the lane that took over a chunk";
  for (int type = LOCKSTEP_RECORD_CALL; type <= LOCKSTEP_RECORD_END; ++type) {
    if (type == LOCKSTEP_RECORD_DROPPED) continue;
    EXPECT_GE(count_of_type[static_cast<std::uint8_t>(type)], 1) << "record type " << type;
  }
  EXPECT_THAT(reader.value().stats().limits(), ElementsAre());
}

TEST(RoundTrip, DefinitionsNameWhatEventsReferTo) {
  const ScratchFolder folder;
  write_sample(folder / "sample.lockstep");
  const auto definitions = record::Definitions::read(folder / "sample.lockstep");
  ASSERT_TRUE(definitions.ok());
  auto reader = Reader::open(folder / "sample.lockstep", record::ChunkFilter::kEvents);
  ASSERT_TRUE(reader.ok());
  while (const record::RecordView* view = reader.value().next()) {
    const auto* call = view->type == LOCKSTEP_RECORD_CALL ? view->as<lockstep_call>() : nullptr;
    if (call == nullptr || call->time_ns < 1'000'000'000) continue;
    const base::Json json = record::describe(*view, definitions.value());
    EXPECT_EQ(json["communicator"], "world");
    EXPECT_EQ(json["operation"], "all_reduce");
    EXPECT_EQ(json["name"], "bucket 0");
    EXPECT_EQ(json["inputs"][0], "float32[64,32]");
    EXPECT_EQ(json["stack"][1], "train (train.py:42)");
    return;
  }
  FAIL() << "the sample's collective is not there";
}

TEST(RoundTrip, EqualDefinitionsAreWrittenOnce) {
  const ScratchFolder folder;
  recorder::Writer writer;
  recorder::WriterOptions options;
  const std::string path = folder / "one.lockstep";
  options.path = path.c_str();
  ASSERT_EQ(writer.open(options), 0);
  const std::uint32_t first = writer.intern_string("grad", 4);
  EXPECT_NE(first, 0U);
  EXPECT_EQ(writer.intern_string("grad", 4), first);
  EXPECT_NE(writer.intern_string("gra", 3), first);
  EXPECT_NE(writer.intern_string("grad\0", 5), first);
  writer.close(0);
  EXPECT_EQ(read_all(path).value().records.size(), 4U) << "three strings and a goodbye";
}

TEST(RoundTrip, AnExistingFileIsNeverOverwritten) {
  const ScratchFolder folder;
  const std::string path = folder / "taken.lockstep";
  std::ofstream(path) << "precious";
  recorder::Writer writer;
  recorder::WriterOptions options;
  options.path = path.c_str();
  EXPECT_EQ(writer.open(options), EEXIST);
}

long peak_memory_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(RoundTrip, MemoryDoesNotGrowWithTheFile) {
  const ScratchFolder folder;
  const std::string path = folder / "long.lockstep";
  const pid_t writing = ::fork();  // so that the mapping of the writer does not count
  if (writing == 0) {
    recorder::Writer writer;
    recorder::WriterOptions options;
    options.path = path.c_str();
    recorder::Lane lane;
    if (writer.open(options) != 0) ::_exit(1);
    writer.open_lane(lane, 1);
    for (std::uint64_t i = 0; i < 2'000'000; ++i) lane.write(numbered_call(1, i, 0));
    writer.close_lane(lane);
    writer.close(0);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(writing, &status, 0), writing);
  ASSERT_EQ(status, 0);
  ASSERT_GT(std::filesystem::file_size(path), std::uintmax_t{120} << 20);

  const long before = peak_memory_kib();
  auto reader = Reader::open(path);
  ASSERT_TRUE(reader.ok());
  while (reader.value().next() != nullptr) {
  }
  EXPECT_GT(reader.value().stats().records, 2'000'000U);
  EXPECT_LT(peak_memory_kib() - before, 16 * 1024) << "KiB for a file of 122 MiB";
}

TEST(Recording, StandsIncompleteUntilItIsFinished) {
  const ScratchFolder folder;
  const std::filesystem::path place = folder / "recording";
  const record::Manifest manifest{
      "job-1", "lockstep 0.1.0", {"torchrun", "train.py"}, 2, 1'700'000'000'000'000'000};
  ASSERT_TRUE(record::create_recording(place, manifest).ok());
  write_sample(place / record::rank_file_name(1, 2));

  const auto running = record::open_recording(place);
  ASSERT_TRUE(running.ok());
  EXPECT_FALSE(running.value().is_complete);
  EXPECT_EQ(running.value().manifest, manifest);
  EXPECT_THAT(running.value().rank_files,
              ElementsAre(record::RankFile{place / "rank_00001.restart_2.lockstep", 1, 2}));

  ASSERT_TRUE(record::finish_recording(place).ok());
  EXPECT_TRUE(record::open_recording(place).value().is_complete);
}

TEST(Recording, RefusesAFolderThatIsNotEmpty) {
  const ScratchFolder folder;
  std::ofstream(folder / "note.txt") << "mine";
  const auto made = record::create_recording(folder / "", record::Manifest{});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().why, "the folder is not empty");
}

TEST(Recording, ADamagedManifestIsALimitNotAnError) {
  const ScratchFolder folder;
  const std::filesystem::path place = folder / "recording";
  ASSERT_TRUE(record::create_recording(place, record::Manifest{}).ok());
  std::ofstream(place / "manifest.json") << "{ \"schema\": ";
  const auto recording = record::open_recording(place);
  ASSERT_TRUE(recording.ok());
  EXPECT_FALSE(recording.value().manifest.has_value());
  EXPECT_EQ(recording.value().limits.size(), 2U) << "damaged manifest, and no clean end";
}

}  // namespace
}  // namespace lockstep::tests
