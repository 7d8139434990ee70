// The watcher over thousands of simulated ranks: what it costs while they run, and how soon it names the one
// that leaves. Real record files, written by some processes with many ranks each.
//
//     watch_bench FOLDER [RANKS] [SECONDS]
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "lockstep/recorder.h"

#include "record/recording.h"
#include "run/watch/watcher.h"
#include "writer.h"

namespace {

namespace fs = std::filesystem;
using namespace lockstep;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kRanksPerProcess = 64;
constexpr int kCallsPerStep = 10;
constexpr auto kStep = 100ms;

struct Shared {
  std::atomic<bool> leaves =
      false;  // at the next step the last rank says goodbye, and the others wait for it
};

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
}

struct SimulatedRank {
  recorder::Writer writer;
  recorder::Lane lane;
  std::uint32_t communicator = 0;

  void open(const fs::path& folder, int rank, int world) {
    const std::string path = folder / record::rank_file_name(rank, 0);
    recorder::WriterOptions options;
    options.path = path.c_str();
    options.chunk_bytes = 64 << 10;
    options.header_bytes = 4096;
    options.rank = rank;
    options.world_size = world;
    if (writer.open(options) != 0) std::exit(3);
    writer.open_lane(lane, 1);
    lockstep_communicator world_group{};
    world_group.name = writer.intern_string("world", 5);
    world_group.size = static_cast<std::uint32_t>(world);
    world_group.rank_in_it = rank;
    world_group.run_count = 1;
    const lockstep_rank_run run{.first = 0, .step = 1, .count = static_cast<std::uint32_t>(world)};
    communicator = writer.intern_communicator(world_group, &run);
  }
  void call(std::uint64_t number, bool completes) {
    lockstep_call call{};
    call.time_ns = now_ns();
    call.sequence = number;
    call.communicator = communicator;
    call.operation = LOCKSTEP_OPERATION_AllReduce;
    call.reduce_op = LOCKSTEP_REDUCE_OP_Sum;
    call.data_type = LOCKSTEP_DATA_TYPE_Float32;
    call.peer = -1;
    call.payload_bytes = 1 << 20;
    lane.write(call);
    if (!completes) return;
    lockstep_done done{};
    done.time_ns = now_ns();
    done.sequence = number;
    done.communicator = communicator;
    done.operation = call.operation;
    done.status = LOCKSTEP_DONE_COMPLETED;
    done.peer = -1;
    lane.write(done);
  }
};

[[noreturn]] void simulate(const fs::path& folder, int first, int world, const Shared& shared,
                           Clock::time_point start) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<std::unique_ptr<SimulatedRank>> ranks;
  for (int rank = first; rank < std::min(first + kRanksPerProcess, world); ++rank) {
    ranks.push_back(std::make_unique<SimulatedRank>());
    ranks.back()->open(folder, rank, world);
  }
  std::uint64_t number = 0;
  for (auto step = start;; step += kStep) {
    std::this_thread::sleep_until(step);
    if (shared.leaves) break;
    for (int i = 0; i < kCallsPerStep; ++i) {
      ++number;
      for (auto& rank : ranks) rank->call(number, true);
    }
  }
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool is_the_last = first + static_cast<int>(i) == world - 1;
    if (is_the_last) {
      ranks[i]->writer.close(0);
    } else {
      ranks[i]->call(number + 1, false);
    }
  }
  for (;;) ::pause();
}

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double seconds(Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: watch_bench FOLDER [RANKS] [SECONDS]\n");
    return 2;
  }
  const fs::path folder = argv[1];
  const int world = argc > 2 ? std::atoi(argv[2]) : 4096;
  const auto length = std::chrono::seconds(argc > 3 ? std::atoi(argv[3]) : 10);
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  if (const auto made = record::create_recording(folder, {}); !made.ok()) {
    fmt::print(stderr, "{}: {}\n", made.error().what, made.error().why);
    return 2;
  }
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* shared = new (memory) Shared;
  std::vector<pid_t> children;
  const Clock::time_point start = Clock::now() + 5s;
  for (int first = 0; first < world; first += kRanksPerProcess) {
    const pid_t child = ::fork();
    if (child == 0) simulate(folder, first, world, *shared, start);
    children.push_back(child);
  }
  watch::Watcher watcher(folder);
  while (Clock::now() < start) {
    watcher.tick();
    std::this_thread::sleep_for(100ms);
  }
  const double cpu_before = cpu_seconds();
  std::size_t notices = 0;
  while (Clock::now() < start + length) {
    const auto begin = Clock::now();
    notices += watcher.tick().size();
    std::this_thread::sleep_until(begin + std::max<Clock::duration>(100ms, 3 * (Clock::now() - begin)));
  }
  const double share = (cpu_seconds() - cpu_before) / seconds(length);
  std::uint64_t records = 0;
  for (const watch::LiveRank* rank : watcher.job().ranks()) records += rank->records();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);

  shared->leaves = true;
  const auto fault = Clock::now();
  double verdict_s = -1;
  while (verdict_s < 0 && Clock::now() < fault + 60s) {
    const auto begin = Clock::now();
    for (const watch::Notice& notice : watcher.tick()) {
      const bool is_right = notice.finding.root_ranks == std::vector<int>{world - 1};
      if (is_right) verdict_s = seconds(Clock::now() - fault);
    }
    std::this_thread::sleep_until(begin + std::max<Clock::duration>(100ms, 3 * (Clock::now() - begin)));
  }
  for (const pid_t child : children) ::kill(child, SIGKILL);
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  fmt::print(
      "{{\"ranks\": {}, \"records_followed\": {}, \"notices_while_healthy\": {}, \"cpu_share\": {:.3f}, "
      "\"most_memory_mb\": {}, \"verdict_s\": {:.2f}}}\n",
      watcher.job().ranks().size(), records, notices, share, usage.ru_maxrss / 1024, verdict_s);
  return verdict_s < 0 || notices != 0 ? 1 : 0;
}
