// What one event costs a rank through the C ABI of the preloaded library, everything included: finding the
// thread's lane, numbering, the clock, the record, and growing or overwriting the file.
//
// The library reads its settings when it is loaded, so the program sets them and executes itself once more.
#include <cstdlib>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include <benchmark/benchmark.h>

#include "lockstep/recorder.h"

namespace {

std::uint32_t world = 0;

bool start() {
  lockstep_rank_facts rank{};
  rank.size = sizeof rank;
  rank.local_rank = -1;
  rank.world_size = 8;
  rank.restart = -1;
  if (lockstep_start_rank(&rank) != 0) return false;
  lockstep_communicator_facts facts{};
  facts.size = sizeof facts;
  facts.member_count = 8;
  facts.name = "world";
  world = lockstep_define_communicator(&facts);
  return world != 0;
}

lockstep_call_facts all_reduce(std::uint32_t communicator) {
  lockstep_call_facts facts{};
  facts.size = sizeof facts;
  facts.communicator = communicator;
  facts.operation = LOCKSTEP_OPERATION_AllReduce;
  facts.reduce_op = LOCKSTEP_REDUCE_OP_Sum;
  facts.data_type = LOCKSTEP_DATA_TYPE_Float32;
  facts.peer = -1;
  facts.payload_bytes = 4096;
  return facts;
}

// Two events: begun and completed.
void call_and_done(benchmark::State& state) {
  const lockstep_call_facts facts = all_reduce(world);
  for (auto _ : state) {
    lockstep_ticket ticket;
    lockstep_begin_call(&facts, &ticket);
    lockstep_mark_call(&ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
  }
  state.SetItemsProcessed(2 * state.iterations());
}

void message_and_done(benchmark::State& state) {
  lockstep_call_facts facts = all_reduce(world);
  facts.operation = LOCKSTEP_OPERATION_Send;
  for (auto _ : state) {
    facts.peer = (facts.peer + 1) % 8;
    lockstep_ticket ticket;
    lockstep_begin_call(&facts, &ticket);
    lockstep_mark_call(&ticket, LOCKSTEP_DONE_COMPLETED, 0, 0);
  }
  state.SetItemsProcessed(2 * state.iterations());
}

void activity(benchmark::State& state) {
  lockstep_activity_facts facts{};
  facts.size = sizeof facts;
  facts.activity = LOCKSTEP_ACTIVITY_Step;
  facts.phase = LOCKSTEP_PHASE_INSTANT;
  for (auto _ : state) lockstep_mark_activity(&facts);
  state.SetItemsProcessed(state.iterations());
}

void not_recorded(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(lockstep_is_recording());
  state.SetItemsProcessed(state.iterations());
}

void checksum_of_a_mebibyte(benchmark::State& state) {
  const std::vector<char> bytes(1 << 20, 'x');
  const lockstep_piece piece{bytes.data(), bytes.size()};
  for (auto _ : state) benchmark::DoNotOptimize(lockstep_checksum_pieces(&piece, 1));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

BENCHMARK(call_and_done);
BENCHMARK(message_and_done);
BENCHMARK(activity);
BENCHMARK(not_recorded);
BENCHMARK(checksum_of_a_mebibyte);

void execute_with_recording(char** argv) {
  char folder[] = "/tmp/lockstep-bench-XXXXXX";
  if (::mkdtemp(folder) == nullptr) return;
  ::setenv("LOCKSTEP_RECORD", folder, 1);
  ::setenv("LOCKSTEP_MAX_RECORD_SIZE", "64M", 0);
  ::execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) {
  if (std::getenv("LOCKSTEP_RECORD") == nullptr) execute_with_recording(argv);
  if (!start()) return 1;
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  std::filesystem::remove_all(std::getenv("LOCKSTEP_RECORD"));
  return 0;
}
