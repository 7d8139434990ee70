// Training jobs in time: every rank works, then meets others in a collective that ends when the last has
// come.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "diagnose/ranks/testing/job_sketch.h"

namespace lockstep::ranks::testing {

enum class Noise {
  kNone,
  kLogNormal,       // jitter of about 5 %
  kWideLogNormal,   // jitter of about 30 %
  kHeavyTailed,     // now and then a step of a rank takes many times as long
  kCommonHiccups,   // every tenth step takes twice as long on all ranks
  kWarmUp,          // the first steps take much longer, on each rank differently
  kOneLateStep,     // one rank is very late once
  kWandering,       // a rank's speed drifts, slowly there and back
  kUnequalDevices,  // ranks differ for good, by 1 % to either side
};
inline constexpr Noise kAllNoise[] = {Noise::kNone,        Noise::kLogNormal,     Noise::kWideLogNormal,
                                      Noise::kHeavyTailed, Noise::kCommonHiccups, Noise::kWarmUp,
                                      Noise::kOneLateStep, Noise::kWandering,     Noise::kUnequalDevices};

struct Phase {
  std::vector<std::vector<int>> groups;  // who meets whom; each rank in one at most
  double work_ms = 10;                   // before the meeting
  model::Shape shape = {16};
};

struct Simulation {
  int ranks = 8;
  int steps = 200;
  int ranks_per_host = 8;
  std::vector<Phase> phases = {};  // of one step; empty: one meeting of all after 10 ms of work
  Noise noise = Noise::kLogNormal;
  std::uint32_t seed = 1;
  double transfer_ms = 1;
  bool only_duration = false;
  // The factor by which the work of a rank takes longer in a step.
  std::function<double(int rank, int step)> slowness = [](int, int) { return 1.0; };
};

class NoiseSource {
 public:
  NoiseSource(const Simulation& simulation)
      : noise_(simulation.noise),
        random_(simulation.seed),
        wander_(static_cast<std::size_t>(simulation.ranks)) {
    for (int rank = 0; rank < simulation.ranks; ++rank) device_.push_back(0.99 + 0.02 * uniform());
    late_rank_ = static_cast<int>(random_() % static_cast<std::uint32_t>(simulation.ranks));
    late_step_ = static_cast<int>(random_() % static_cast<std::uint32_t>(simulation.steps));
  }

  double factor(int rank, int step) {
    switch (noise_) {
      case Noise::kNone:
        return 1;
      case Noise::kLogNormal:
        return std::exp(0.05 * normal());
      case Noise::kWideLogNormal:
        return std::exp(0.3 * normal());
      case Noise::kHeavyTailed:
        return std::exp(0.05 * normal()) + (uniform() < 0.05 ? 0.1 / std::pow(uniform() + 1e-6, 0.8) : 0);
      case Noise::kCommonHiccups:
        return std::exp(0.05 * normal()) * (step % 10 == 0 ? 2 : 1);
      case Noise::kWarmUp:
        return std::exp(0.05 * normal()) * (step < 5 ? 5 + 20 * uniform() : 1);
      case Noise::kOneLateStep:
        return std::exp(0.05 * normal()) * (rank == late_rank_ && step == late_step_ ? 100 : 1);
      case Noise::kWandering: {
        double& wander = wander_[static_cast<std::size_t>(rank)];
        wander = 0.7 * wander + 0.03 * normal();
        return std::exp(wander);
      }
      case Noise::kUnequalDevices:
        return std::exp(0.05 * normal()) * device_[static_cast<std::size_t>(rank)];
    }
    return 1;
  }

  double normal() { return std::normal_distribution<>()(random_); }
  double uniform() { return std::uniform_real_distribution<>()(random_); }

 private:
  Noise noise_;
  std::mt19937 random_;
  std::vector<double> wander_;
  std::vector<double> device_;
  int late_rank_ = 0;
  int late_step_ = 0;
};

// Every host has its own clock, off by some milliseconds.
inline std::int64_t clock_ahead_ms(int host) {
  return host * 37 % 11 - 5;
}

inline std::vector<std::vector<int>> everyone(int ranks) {
  std::vector<int> all(static_cast<std::size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return {all};
}

// A grid of ranks: `columns` neighbours form a row. Rows meet `layers` times in a step, then columns once.
inline std::vector<Phase> grid_phases(int ranks, int columns, int layers) {
  Phase row{.groups = {}, .work_ms = 10.0 / layers, .shape = {64}};
  Phase column{.groups = {}, .work_ms = 1, .shape = {4096}};
  for (int first = 0; first < ranks; first += columns) {
    row.groups.emplace_back();
    for (int rank = first; rank < first + columns; ++rank) row.groups.back().push_back(rank);
  }
  for (int first = 0; first < columns; ++first) {
    column.groups.emplace_back();
    for (int rank = first; rank < ranks; rank += columns) column.groups.back().push_back(rank);
  }
  std::vector<Phase> phases(static_cast<std::size_t>(layers), row);
  phases.push_back(column);
  return phases;
}

inline JobSketch simulate(Simulation simulation) {
  if (simulation.phases.empty()) simulation.phases = {{.groups = everyone(simulation.ranks)}};
  JobSketch sketch(simulation.ranks);
  const int hosts = (simulation.ranks + simulation.ranks_per_host - 1) / simulation.ranks_per_host;
  for (int host = 0; host < hosts; ++host) sketch.job.hosts.push_back({"host" + std::to_string(host), {}});
  for (int rank = 0; rank < simulation.ranks; ++rank) {
    sketch.history(rank).rank.host = rank / simulation.ranks_per_host;
  }
  NoiseSource noise(simulation);
  std::vector<double> now_ms(static_cast<std::size_t>(simulation.ranks), 1000);
  std::vector<std::uint64_t> calls;  // by communicator
  for (int step = 0; step < simulation.steps; ++step) {
    for (const Phase& phase : simulation.phases) {
      for (const std::vector<int>& members : phase.groups) {
        const model::CommunicatorId group =
            sketch.group(members.size() == now_ms.size()
                             ? "world"
                             : "g" + std::to_string(members.front()) + "+" + std::to_string(members[1]),
                         members);
        if (calls.size() <= static_cast<std::size_t>(group))
          calls.resize(static_cast<std::size_t>(group) + 1);
        double last_ms = 0;
        for (const int rank : members) {
          double& now = now_ms[static_cast<std::size_t>(rank)];
          now += phase.work_ms * noise.factor(rank, step) * simulation.slowness(rank, step);
          last_ms = std::max(last_ms, now);
        }
        const double end_ms = last_ms + simulation.transfer_ms * (1 + 0.1 * noise.uniform());
        for (const int rank : members) {
          double& now = now_ms[static_cast<std::size_t>(rank)];
          const double ahead_ms = static_cast<double>(clock_ahead_ms(rank / simulation.ranks_per_host));
          const double leave_ms = end_ms + 0.01 * noise.uniform();
          model::Event& event = sketch.call(
              rank, {.communicator = group,
                     .sequence = calls[static_cast<std::size_t>(group)],
                     .shape = phase.shape,
                     .begin_ns = static_cast<std::int64_t>((now + ahead_ms) * JobSketch::kMillisecond),
                     .end_ns = static_cast<std::int64_t>((leave_ms + ahead_ms) * JobSketch::kMillisecond)});
          event.only_duration = simulation.only_duration;
          now = leave_ms;
        }
        ++calls[static_cast<std::size_t>(group)];
      }
    }
  }
  return sketch;
}

}  // namespace lockstep::ranks::testing
