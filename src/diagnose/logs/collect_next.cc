#include "diagnose/logs/collect_next.h"

namespace lockstep::logs {
namespace {

std::string logs_of_all_ranks(const Context& context) {
  if (context.knows("kubernetes"))
    return "for pod in $(kubectl get pods -o name); do kubectl logs --all-containers --prefix \"$pod\" > "
           "\"$(basename \"$pod\").log\"; kubectl describe \"$pod\" > \"$(basename \"$pod\").txt\"; done";
  if (context.knows("slurm")) return "srun --label --output=logs/rank%t.log python train.py";
  if (context.knows("horovod")) return "horovodrun --output-filename logs --verbose -np N python train.py";
  if (context.knows("mpi")) return "mpirun --tag-output --output-filename logs -np N python train.py";
  if (context.knows("ray")) return "ray logs cluster --format=text > ray.log";
  return "torchrun --log-dir logs --redirects 3 --tee 3 --nproc-per-node N train.py";
}

std::string more_words(const Context& context) {
  if (context.knows("horovod"))
    return "export HOROVOD_LOG_LEVEL=debug HOROVOD_TIMELINE=timeline.json NCCL_DEBUG=INFO";
  if (context.knows("tensorflow") && !context.knows("pytorch"))
    return "export TF_CPP_MIN_LOG_LEVEL=0 TF_CPP_VMODULE=collective_ops=1 GRPC_VERBOSITY=info "
           "NCCL_DEBUG=INFO";
  if (context.knows("jax"))
    return "export JAX_TRACEBACK_FILTERING=off TF_CPP_MIN_LOG_LEVEL=0 NCCL_DEBUG=INFO";
  return "export TORCH_DISTRIBUTED_DEBUG=DETAIL TORCH_CPP_LOG_LEVEL=INFO NCCL_DEBUG=INFO "
         "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1";
}

}  // namespace

std::vector<std::string> what_to_collect(const Context& context) {
  return {logs_of_all_ranks(context) + "   # the log of every rank, not of one", more_words(context),
          "dmesg -T > dmesg.txt; nvidia-smi -q > gpus.txt   # on the node that failed first",
          "lockstep isolate -- python train.py   # your own command: does the fault need several ranks?"};
}

}  // namespace lockstep::logs
