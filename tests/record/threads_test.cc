// Many threads write at once, some of them short-lived; run under the thread sanitizer too.
#include <map>
#include <thread>

#include <gtest/gtest.h>

#include "record/definitions.h"
#include "sample_recording.h"

namespace lockstep::tests {
namespace {

constexpr std::uint32_t kThreads = 8;
constexpr std::uint64_t kCalls = 20'000;

TEST(Threads, EachThreadsEventsAreWholeAndInOrder) {
  const ScratchFolder folder;
  const std::string path = folder / "threads.lockstep";
  recorder::Writer writer;
  recorder::WriterOptions options;
  options.path = path.c_str();
  options.chunk_bytes = 4096;
  options.header_bytes = 4096;
  ASSERT_EQ(writer.open(options), 0);

  std::vector<std::thread> threads;
  for (std::uint32_t number = 1; number <= kThreads; ++number) {
    threads.emplace_back([&writer, number] {
      // Half of the work in a second lane, as a later thread with the same number would do it.
      for (const std::uint64_t half : {std::uint64_t{0}, std::uint64_t{1}}) {
        recorder::Lane lane;
        writer.open_lane(lane, number);
        for (std::uint64_t i = half * kCalls / 2; i < (half + 1) * kCalls / 2; ++i) {
          const std::string name = "tensor " + std::to_string(i % 500);
          lane.write(numbered_call(number, i, writer.intern_string(name.data(), name.size())));
        }
        writer.close_lane(lane);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(writer.dropped(), 0U);
  writer.close(0);

  const auto definitions = record::Definitions::read(path);
  ASSERT_TRUE(definitions.ok());
  auto reader = record::Reader::open(path, record::ChunkFilter::kEvents);
  ASSERT_TRUE(reader.ok());
  std::map<std::uint32_t, std::map<std::uint64_t, int>> seen;
  while (const record::RecordView* view = reader.value().next()) {
    if (view->type != LOCKSTEP_RECORD_CALL) continue;
    const auto* call = view->as<lockstep_call>();
    ASSERT_EQ(call->communicator, view->thread);
    ++seen[view->thread][call->sequence];
    if (call->name == 0) continue;  // a busy machine may leave a name out, never give a wrong one
    ASSERT_EQ(definitions.value().string(call->name), "tensor " + std::to_string(call->sequence % 500));
  }
  ASSERT_EQ(seen.size(), kThreads);
  for (const auto& [thread, calls] : seen) EXPECT_EQ(calls.size(), kCalls) << "thread " << thread;
}

}  // namespace
}  // namespace lockstep::tests
