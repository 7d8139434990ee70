// What each analysis pass costs on a large job: 1,024 ranks with 2,000 events each, in one group or in a
// grid. The peer is a walk that reads every event once: no pass can be faster.
#include <benchmark/benchmark.h>

#include "diagnose/ranks/correctness/divergence.h"
#include "diagnose/ranks/correctness/uneven_steps.h"
#include "diagnose/ranks/testing/job_simulation.h"
#include "diagnose/ranks/timing/clocks.h"
#include "diagnose/ranks/timing/communication_time.h"
#include "diagnose/ranks/timing/slow_link.h"
#include "diagnose/ranks/timing/straggler.h"
#include "diagnose/ranks/timing/timings.h"

namespace lockstep::tests {
namespace {

using ranks::Alignment;
using ranks::testing::Simulation;

constexpr int kRanks = 1024;
constexpr int kEvents = 2000;

struct LargeJob {
  model::Job job;
  Alignment alignment;
};

const LargeJob& large_job(bool is_grid) {
  static const auto make = [](bool grid) {
    Simulation simulation;
    simulation.ranks = kRanks;
    simulation.steps = grid ? kEvents / 5 : kEvents;
    if (grid) simulation.phases = ranks::testing::grid_phases(kRanks, 8, 4);
    ranks::testing::JobSketch sketch = simulate(simulation);
    for (model::RankHistory& history : sketch.job.ranks) {
      for (std::uint32_t at = 0; at < history.events.size(); ++at) {
        history.events[at].checksums = static_cast<model::ChecksumsId>(at);
      }
    }
    for (std::uint64_t at = 0; at < kEvents; ++at) sketch.job.checksums.push_back({at + 1, at + 1});
    LargeJob large{.job = std::move(sketch.job), .alignment = {}};
    large.alignment = ranks::align(large.job);
    return large;
  };
  static const LargeJob one_group = make(false);
  static const LargeJob grid = make(true);
  return is_grid ? grid : one_group;
}

template <typename Pass>
void measure(benchmark::State& state, Pass pass) {
  const LargeJob& large = large_job(state.range(0) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(pass(large.job, large.alignment));
  state.SetItemsProcessed(state.iterations() * kRanks * kEvents);
}

void read_every_event(benchmark::State& state) {
  measure(state, [](const model::Job& job, const Alignment&) {
    std::int64_t sum = 0;
    for (const model::RankHistory& history : job.ranks) {
      for (const model::Event& event : history.events) sum += event.begin_ns ^ event.end_ns;
    }
    return sum;
  });
}
void align_events(benchmark::State& state) {
  measure(state, [](const model::Job& job, const Alignment&) { return ranks::align(job).meetings().size(); });
}
void clocks(benchmark::State& state) {
  measure(state, ranks::estimate_clocks);
}
void timings(benchmark::State& state) {
  measure(state, [](const model::Job& job, const Alignment& alignment) {
    return ranks::measure_timings(job, alignment).runs.size();
  });
}

template <typename Pass>
void measure_after_timings(benchmark::State& state, Pass pass) {
  const LargeJob& large = large_job(state.range(0) != 0);
  const ranks::Timings timings = ranks::measure_timings(large.job, large.alignment);
  measure(state,
          [&](const model::Job& job, const Alignment& alignment) { return pass(job, alignment, timings); });
}
void stragglers(benchmark::State& state) {
  measure_after_timings(state, [](const model::Job& job, const Alignment&, const ranks::Timings& timings) {
    return ranks::find_stragglers(job, timings).ranks.size();
  });
}
void communication_time(benchmark::State& state) {
  measure_after_timings(state, ranks::measure_communication_time);
}
void slow_links(benchmark::State& state) {
  measure_after_timings(state, ranks::find_slow_links);
}
void divergence(benchmark::State& state) {
  measure(state, ranks::find_divergence);
}
void uneven_steps(benchmark::State& state) {
  measure(state, ranks::find_uneven_steps);
}

#define LOCKSTEP_PASS(pass) BENCHMARK(pass)->ArgName("grid")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)
LOCKSTEP_PASS(read_every_event);
LOCKSTEP_PASS(align_events);
LOCKSTEP_PASS(clocks);
LOCKSTEP_PASS(timings);
LOCKSTEP_PASS(stragglers);
LOCKSTEP_PASS(communication_time);
LOCKSTEP_PASS(slow_links);
LOCKSTEP_PASS(divergence);
LOCKSTEP_PASS(uneven_steps);

}  // namespace
}  // namespace lockstep::tests

BENCHMARK_MAIN();
