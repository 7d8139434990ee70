// What one event costs the training job, and how fast recordings are read.
//
// The peer of an event is a plain 64-byte store into memory mapped from a new file: the least that any
// recorder that survives kill -9 could do. Both grow their files the same way, so page faults and allocation
// are in both.
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <benchmark/benchmark.h>

#include "clock.h"
#include "tests/record/sample_recording.h"
#include "windowed_file.h"

namespace lockstep::tests {
namespace {

constexpr std::size_t kFileBytes = std::size_t{256} << 20;
constexpr std::size_t kWindowBytes = std::size_t{256} << 10;
constexpr std::int64_t kEventsPerFile =
    static_cast<std::int64_t>((kFileBytes - kWindowBytes) / 64 / 1024 * 1023);

lockstep_call call_to_write() {
  lockstep_call call = numbered_call(1, 1, 1);
  benchmark::DoNotOptimize(call);
  return call;
}

void plain_store(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    const ScratchFolder folder;
    const std::string path = folder / "plain";
    recorder::WindowedFile file;
    if (file.create(path.c_str(), kFileBytes) != 0) state.SkipWithError("cannot create a file");
    const lockstep_call call = call_to_write();
    state.ResumeTiming();
    std::size_t offset = 0;
    char* place = nullptr;
    char* end = nullptr;
    for (std::int64_t i = 0; i < kEventsPerFile; ++i) {
      if (place == end) {
        if (file.prepare(offset, kWindowBytes) != 0) state.SkipWithError("cannot grow the file");
        place = file.data() + offset;
        end = place + kWindowBytes;
        offset += kWindowBytes;
      }
      std::memcpy(place, &call, sizeof call);
      benchmark::ClobberMemory();
      place += sizeof call;
    }
    state.PauseTiming();
    file.unmap_and_close();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kEventsPerFile);
}

template <bool with_clock>
void event_write(benchmark::State& state) {
  for (auto _ : state) {
    state.PauseTiming();
    const ScratchFolder folder;
    const std::string path = folder / "events.lockstep";
    recorder::Writer writer;
    recorder::WriterOptions options;
    options.path = path.c_str();
    options.max_bytes = 2 * kFileBytes;
    if (writer.open(options) != 0) state.SkipWithError("cannot create a file");
    recorder::Lane lane;
    writer.open_lane(lane, 1);
    lockstep_call call = call_to_write();
    state.ResumeTiming();
    for (std::int64_t i = 0; i < kEventsPerFile; ++i) {
      if constexpr (with_clock) call.time_ns = recorder::monotonic_now_ns();
      call.sequence = static_cast<std::uint64_t>(i);
      lane.write(call);
      benchmark::ClobberMemory();
    }
    state.PauseTiming();
    if (writer.dropped() != 0) state.SkipWithError("events were dropped");
    writer.close_lane(lane);
    writer.close(0);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kEventsPerFile);
}

void intern_known_string(benchmark::State& state) {
  const ScratchFolder folder;
  const std::string path = folder / "strings.lockstep";
  recorder::Writer writer;
  recorder::WriterOptions options;
  options.path = path.c_str();
  if (writer.open(options) != 0) state.SkipWithError("cannot create a file");
  const std::string name = "module.layers.17.attention.query.weight";
  for (auto _ : state) benchmark::DoNotOptimize(writer.intern_string(name.data(), name.size()));
  writer.close(0);
}

void read_events(benchmark::State& state) {
  const ScratchFolder folder;
  const std::string path = folder / "events.lockstep";
  recorder::Writer writer;
  recorder::WriterOptions options;
  options.path = path.c_str();
  options.max_bytes = 2 * kFileBytes;
  if (writer.open(options) != 0) state.SkipWithError("cannot create a file");
  recorder::Lane lane;
  writer.open_lane(lane, 1);
  for (std::int64_t i = 0; i < kEventsPerFile; ++i) {
    lane.write(numbered_call(1, static_cast<std::uint64_t>(i), 1));
  }
  writer.close_lane(lane);
  writer.close(0);
  for (auto _ : state) {
    auto reader = record::Reader::open(path);
    std::uint64_t bytes = 0;
    while (const record::RecordView* view = reader.value().next()) {
      if (const auto* call = view->as<lockstep_call>()) bytes += call->payload_bytes;
    }
    benchmark::DoNotOptimize(bytes);
    if (reader.value().stats().records < static_cast<std::uint64_t>(kEventsPerFile)) {
      state.SkipWithError("events are missing");
    }
  }
  state.SetItemsProcessed(state.iterations() * kEventsPerFile);
}

BENCHMARK(plain_store)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(event_write<false>)->Name("event_write")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(event_write<true>)->Name("event_write_with_clock")->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(intern_known_string);
BENCHMARK(read_events)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace lockstep::tests

BENCHMARK_MAIN();
