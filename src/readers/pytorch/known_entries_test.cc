// Entries that are recognised are read as if they had been run.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "readers/pytorch/flight_recorder_pickle.h"
#include "readers/pytorch/flight_recorder_rank.h"
#include "readers/pytorch/pickle_machine.h"
#include "readers/testing/dumps.h"

namespace lockstep::readers {
namespace {

using namespace std::string_literals;

// Runs every entry: the slow twin.
class EveryEntryRun : public PickleEntryReader {
 public:
  using PickleEntryReader::PickleEntryReader;
  std::size_t take_known(std::string_view /*bytes*/) override { return 0; }
};

// Counts the entries that are not run.
class CountingReader : public PickleEntryReader {
 public:
  using PickleEntryReader::PickleEntryReader;
  std::size_t take_known(std::string_view bytes) override {
    const std::size_t size = PickleEntryReader::take_known(bytes);
    known += size > 0 ? 1 : 0;
    return size;
  }
  std::size_t known = 0;
};

struct Read {
  model::Job job;
  std::size_t known = 0;
};

template <typename Reader>
Read read_with(const std::string& pickle) {
  const Source source{.name = "nccl_trace_rank_0", .path = "nccl_trace_rank_0", .bytes = pickle};
  Read read;
  FlightRecorderRank rank(read.job, source, 0);
  Reader entries(rank);
  PickleMachine machine(pickle, entries);
  machine.run();
  rank.finish();
  if constexpr (requires { entries.known; }) read.known = entries.known;
  return read;
}

// Writes numbers as PyTorch does, each as short as it goes.
std::string number(std::int64_t value) {
  const auto bytes = [&](auto narrow) {
    std::string made(sizeof narrow, '\0');
    std::memcpy(made.data(), &narrow, sizeof narrow);
    return made;
  };
  if (value >= 0 && value < 256) return "K" + bytes(static_cast<std::uint8_t>(value));
  if (value >= 0 && value < 65536) return "M" + bytes(static_cast<std::uint16_t>(value));
  if (value == static_cast<std::int32_t>(value)) return "J" + bytes(static_cast<std::int32_t>(value));
  return "\x8a\x08" + bytes(value);
}

std::string pickled_text(std::string_view value) {
  return "X"s + static_cast<char>(value.size()) + "\0\0\0"s + std::string(value);
}

std::string get(std::size_t memo) {
  return "h"s + static_cast<char>(memo);
}

constexpr std::array<std::string_view, 9> kMemo = {"record_id",       "collective_seq_id", "profiling_name",
                                                   "time_created_ns", "nccl:all_reduce",   "nccl:broadcast",
                                                   "input_sizes",     "thread_id",         "retired"};

// The memo is filled by a member of the dump before the entries.
std::string pickled_dump(const std::vector<std::string>& entries) {
  std::string pickle = "\x80\x02}("s + pickled_text("words") + "](";
  for (std::size_t word = 0; word < kMemo.size(); ++word)
    pickle += pickled_text(kMemo[word]) + "q" + static_cast<char>(word);
  pickle += "e" + pickled_text("entries") + "](";
  for (const std::string& entry : entries) pickle += entry;
  return pickle + "eu.";
}

struct WrittenEntry {
  std::int64_t id = 0;
  std::int64_t time_ns = 0;
  int name = 4;
  int size = 0;
  int thread = 0;
  bool is_retired = false;
};

std::string written(const WrittenEntry& entry) {
  return "}(" + get(0) + number(entry.id) + get(1) + number(entry.id + 1) + get(2) +
         get(static_cast<std::size_t>(entry.name)) + get(3) + number(entry.time_ns) + get(6) + "](](" +
         number(entry.size) + "ee" + get(7) + number(entry.thread) + get(8) +
         (entry.is_retired ? "\x88" : "\x89") + "u";
}

TEST(KnownEntries, AreNotRunAgain) {
  std::vector<std::string> entries;
  for (int id = 0; id < 200; ++id) {
    entries.push_back(written({.id = id, .time_ns = 1'762'000'000'000'000'000 + id, .name = 4 + id % 2}));
  }
  const Read read = read_with<CountingReader>(pickled_dump(entries));
  EXPECT_EQ(read.job.ranks.front().events.size(), 200U);
  EXPECT_GT(read.known, 190U);
  testing::expect_same_job(read.job, read_with<EveryEntryRun>(pickled_dump(entries)).job);
}

TEST(KnownEntries, OfAnotherMemoAreOthers) {
  const std::string entry = written({.id = 7, .time_ns = 5});
  const std::string renamed = pickled_text("nccl:all_gather") + "q\x04" + "0";
  const std::string pickle = pickled_dump({entry, entry, entry, renamed, entry, entry});
  const Read read = read_with<CountingReader>(pickle);
  testing::expect_same_job(read.job, read_with<EveryEntryRun>(pickle).job);
  EXPECT_EQ(read.job.names[read.job.ranks.front().events.back().name], "all_gather");
}

TEST(KnownEntries, DoNotReachBehindTheBytes) {
  const std::string entry = written({.id = 7, .time_ns = 5});
  const std::string whole = pickled_dump({entry, entry, entry});
  for (std::size_t cut = whole.size(); cut > 0; --cut) {
    const std::string pickle = whole.substr(0, cut);
    testing::expect_same_job(read_with<CountingReader>(pickle).job, read_with<EveryEntryRun>(pickle).job);
  }
}

RC_GTEST_PROP(KnownEntries, AreReadAsIfTheyWereRun, ()) {
  const auto one = rc::gen::build<WrittenEntry>(
      rc::gen::set(&WrittenEntry::id, rc::gen::element<std::int64_t>(0, 1, 255, 256, 70'000, -3, 1LL << 40)),
      rc::gen::set(&WrittenEntry::time_ns, rc::gen::arbitrary<std::int64_t>()),
      rc::gen::set(&WrittenEntry::name, rc::gen::inRange(4, 6)),
      rc::gen::set(&WrittenEntry::size, rc::gen::inRange(0, 3)),
      rc::gen::set(&WrittenEntry::thread, rc::gen::inRange(0, 2)), rc::gen::set(&WrittenEntry::is_retired));
  const auto pool = *rc::gen::nonEmpty(rc::gen::container<std::vector<WrittenEntry>>(one));
  const auto order = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, 1000));
  std::vector<std::string> entries;
  for (const std::size_t pick : order) {
    WrittenEntry entry = pool[pick % pool.size()];
    entry.time_ns += static_cast<std::int64_t>(entries.size() % 100);
    entries.push_back(written(entry));
  }
  const std::string pickle = pickled_dump(entries);
  testing::expect_same_job(read_with<CountingReader>(pickle).job, read_with<EveryEntryRun>(pickle).job);
}

}  // namespace
}  // namespace lockstep::readers
