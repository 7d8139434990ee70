#include "service/engine/cluster.h"

#include <algorithm>

#include <fmt/format.h>

namespace lockstep::service {
namespace {

void choose_resources(Job& job, const Resources& machine) {
  const JobSpec& spec = job.spec;
  if (spec.cpus_per_worker) {
    job.per_worker.millicpus = std::int64_t{1000} * *spec.cpus_per_worker;
    job.choose("cpus_per_worker", std::to_string(*spec.cpus_per_worker), "as asked");
  } else {
    const std::int64_t share = machine.millicpus / spec.workers_min;
    job.per_worker.millicpus = std::clamp<std::int64_t>(share, 1, 1000);
    job.choose("cpus_per_worker", fmt::format("{:g}", static_cast<double>(job.per_worker.millicpus) / 1000),
               share >= 1000 ? "one core for each rank" : "the cores of this machine shared by the ranks");
  }
  const bool has_gpu_for_each = machine.gpus >= spec.workers_min && machine.gpus > 0;
  job.per_worker.gpus = spec.gpus_per_worker.value_or(has_gpu_for_each ? 1 : 0);
  job.choose("gpus_per_worker", std::to_string(job.per_worker.gpus),
             spec.gpus_per_worker ? "as asked"
                                  : (has_gpu_for_each ? "one for each rank" : "there is none for each rank"));
  job.per_worker.memory_bytes = spec.memory_per_worker;
  job.choose("memory_per_worker",
             spec.memory_per_worker > 0 ? std::to_string(spec.memory_per_worker) : "unlimited",
             spec.memory_per_worker > 0 ? "as asked" : "no limit was asked for");
}

void choose_meeting_place(Job& job) {
  switch (job.framework) {
    case Framework::kPyTorch:
      return job.choose("rendezvous", "MASTER_ADDR and MASTER_PORT on 127.0.0.1",
                        "all ranks are on this host");
    case Framework::kTensorFlow:
      return job.choose("rendezvous", "TF_CONFIG with one port of 127.0.0.1 for each rank",
                        "all ranks are on this host");
    case Framework::kHorovod:
      return job.choose("rendezvous", "Gloo over 127.0.0.1, met at the service's own store",
                        "all ranks are on this host");
    case Framework::kPlain:
      return job.choose("rendezvous", "RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT",
                        "what most programs read");
  }
}

std::vector<FieldFault> faults_of_size(const Job& job, const Resources& machine) {
  const Resources need = job.per_worker * job.spec.workers_min;
  std::vector<FieldFault> faults;
  if (need.millicpus > machine.millicpus) {
    faults.push_back({"/cpus_per_worker",
                      fmt::format("{} workers need {} cores; this machine has {}", job.spec.workers_min,
                                  need.millicpus / 1000, machine.millicpus / 1000)});
  }
  if (need.gpus > machine.gpus) {
    faults.push_back({"/gpus_per_worker", fmt::format("{} workers need {} GPUs; this machine has {}",
                                                      job.spec.workers_min, need.gpus, machine.gpus)});
  }
  if (need.memory_bytes > machine.memory_bytes) {
    faults.push_back(
        {"/memory_per_worker", fmt::format("{} workers need {} bytes; this machine has {}",
                                           job.spec.workers_min, need.memory_bytes, machine.memory_bytes)});
  }
  return faults;
}

}  // namespace

std::vector<FieldFault> OneMachine::choose(Job& job) {
  if (job.spec.nodes > 1)
    return {{"/nodes", fmt::format("{} nodes are asked for; this is one machine", job.spec.nodes)}};
  if (!job.spec.partition.empty())
    return {{"/partition", "this machine has none; it belongs to engine slurm"}};
  choose_resources(job, total_);
  choose_meeting_place(job);
  return faults_of_size(job, total_);
}

}  // namespace lockstep::service
