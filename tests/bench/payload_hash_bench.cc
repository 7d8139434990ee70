// How fast payload is hashed, beside copying the same bytes: what a training thread does before a result is
// kept.
#include <cstring>
#include <vector>

#include <benchmark/benchmark.h>

#include "recorder/core/hash128.h"

namespace {

std::vector<char> bytes_of(const benchmark::State& state) {
  return std::vector<char>(static_cast<std::size_t>(state.range(0)), 'x');
}

void hash(benchmark::State& state) {
  const std::vector<char> bytes = bytes_of(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(lockstep::recorder::hash128(bytes.data(), bytes.size()));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

void copy(benchmark::State& state) {
  const std::vector<char> bytes = bytes_of(state);
  std::vector<char> to(bytes.size());
  for (auto _ : state) {
    std::memcpy(to.data(), bytes.data(), bytes.size());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

}  // namespace

BENCHMARK(hash)->Arg(1 << 20)->Arg(50 << 20);
BENCHMARK(copy)->Arg(1 << 20)->Arg(50 << 20);
BENCHMARK_MAIN();
