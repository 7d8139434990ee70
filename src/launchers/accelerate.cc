// accelerate launch.
#include "base/text_fields.h"
#include "launchers/launcher.h"
#include "launchers/one_rank.h"
#include "launchers/place.h"

namespace lockstep::launchers {
namespace {

constexpr FlagRules kAccelerateRules{.underscore_is_dash = true, .short_may_be_joined = true};

constexpr std::string_view kTpu = "a TPU job takes its ranks from the pod";

constexpr LauncherFlag kAccelerateFlags[] = {
    {"--num-processes --num-machines --machine-rank", 1, Fate::kDrop},
    {"--main-process-ip --main-process-port", 1, Fate::kDrop},
    {"--multi-gpu --same-network", 0, Fate::kDrop},
    {"--gpu-ids", 1, Fate::kDrop},
    {"--rdzv-backend --rdzv-conf --max-restarts", 1, Fate::kDrop},
    {"-t --tee", 1, Fate::kDrop},
    {"--log-dir", 1, Fate::kDrop},
    {"--deepspeed-hostfile --deepspeed-exclusion-filter --deepspeed-inclusion-filter", 1, Fate::kDrop},
    {"--deepspeed-multinode-launcher --mpirun-hostfile", 1, Fate::kDrop},
    {"--enable-cpu-affinity", 0, Fate::kDrop},
    {"--tpu --tpu-cluster --no-tpu-cluster --tpu-use-sudo", 0, Fate::kRefuse, kTpu},
    {"--vm --env --main-training-function", 1, Fate::kRefuse, kTpu},
    {"--downcast-bf16", 0, Fate::kRefuse, kTpu},
    {"--aws-access-key-id --aws-secret-access-key", 1, Fate::kRefuse, "SageMaker runs the job elsewhere"},
    {"--config-file", 1},
    {"-q --quiet", 0},
    {"-m --module", 0},
    {"--no-python --debug --cpu --ipex --use-xpu", 0},
    {"--use-deepspeed --use-fsdp --use-megatron-lm --use-parallelism-config", 0},
    {"--mixed-precision --num-cpu-threads-per-process --dynamo-backend --dynamo-mode", 1},
    {"--dynamo-use-fullgraph --dynamo-use-dynamic --dynamo-use-regional-compilation", 0},
    {"--role --monitor-interval --mpirun-ccl", 1},
    {"--deepspeed-config-file --zero-stage --offload-optimizer-device --offload-param-device", 1},
    {"--offload-optimizer-nvme-path --offload-param-nvme-path --gradient-accumulation-steps", 1},
    {"--gradient-clipping --zero3-init-flag --zero3-save-16bit-model --deepspeed-moe-layer-cls-names", 1},
    {"--fsdp-version --fsdp-offload-params --fsdp-min-num-params --fsdp-sharding-strategy", 1},
    {"--fsdp-reshard-after-forward --fsdp-auto-wrap-policy --fsdp-transformer-layer-cls-to-wrap", 1},
    {"--fsdp-backward-prefetch-policy --fsdp-backward-prefetch --fsdp-state-dict-type", 1},
    {"--fsdp-forward-prefetch --fsdp-use-orig-params --fsdp-cpu-ram-efficient-loading", 1},
    {"--fsdp-sync-module-states --fsdp-activation-checkpointing", 1},
    {"--fp8-backend --fp8-margin --fp8-interval --fp8-format --fp8-amax-history-len", 1},
    {"--fp8-amax-compute-algo --fp8-override-linear-precision --fp8-opt-level", 1},
    {"--fsdp-activation-checkpointing-offload --fp8-enable-fsdp-float8-all-gather", 1},
    {"--fp8-pad-inner-dim --megatron-lm-tp-degree --megatron-lm-use-custom-fsdp", 1},
    {"--megatron-lm-no-load-optim --megatron-lm-eod-mask-loss", 1},
    {"--megatron-lm-overlap-cpu-optimizer-d2h-h2d --megatron-lm-no-save-optim", 1},
    {"--megatron-lm-optimizer-cpu-offload --megatron-lm-use-precision-aware-optimizer", 1},
    {"--megatron-lm-decoder-last-pipeline-num-layers --megatron-lm-pp-degree", 1},
    {"--megatron-lm-num-micro-batches --megatron-lm-sequence-parallelism", 1},
    {"--megatron-lm-recompute-activations --megatron-lm-use-distributed-optimizer", 1},
    {"--megatron-lm-gradient-clipping --megatron-lm-recompute-granularity", 1},
    {"--megatron-lm-recompute-method --megatron-lm-recompute-num-layers", 1},
    {"--megatron-lm-attention-backend --megatron-lm-expert-model-parallel-size", 1},
    {"--megatron-lm-context-parallel-size --megatron-lm-attention-dropout", 1},
    {"--megatron-lm-hidden-dropout --megatron-lm-attention-softmax-in-fp32", 1},
    {"--megatron-lm-expert-tensor-parallel-size --megatron-lm-calculate-per-token-loss", 1},
    {"--megatron-lm-use-rotary-position-embeddings --parallelism-config-dp-replicate-size", 1},
    {"--parallelism-config-dp-shard-size --parallelism-config-tp-size", 1},
    {"--parallelism-config-cp-size --parallelism-config-cp-backend", 1},
    {"--parallelism-config-cp-comm-strategy --parallelism-config-sp-size", 1},
    {"--parallelism-config-sp-backend --parallelism-config-sp-seq-length", 1},
    {"--parallelism-config-sp-seq-length-is-variable", 1},
    {"--parallelism-config-sp-attn-implementation", 1},
    {"--fp8-use-autocast-during-eval", 0},
};
constexpr LauncherTable kAccelerateTable{"accelerate launch", kAccelerateFlags, kAccelerateRules};

Result<void> reduce_for_accelerate(const Launched& launched, const Launch& launch, Control& control) {
  const SplitForOne split = TRY(split_for_one(launched.words, kAccelerateTable));
  add_launcher(control, "accelerate");
  append(control.command, launched.head);
  append(control.command, {"--num_processes=1", "--num_machines=1", "--machine_rank=0",
                           std::string("--main_process_ip=") + kLoopback,
                           "--main_process_port=" + std::to_string(launch.free_port)});
  append(control.command, split.kept);
  append(control.command, split.program);
  append(control.left_out, split.dropped);
  return {};
}

}  // namespace

std::optional<JobPlace> place_by_accelerate(const Launch& launch) {
  const auto flags = flags_of(kAccelerate, launch.command);
  if (!flags) return std::nullopt;
  const auto setting = [&](const char* flag, std::string otherwise) {
    return value_of(*flags, flag).value_or(std::move(otherwise));
  };
  JobPlace place{.index = base::number_in<std::uint32_t>(setting("machine_rank", "0")),
                 .count = base::number_in<std::uint32_t>(setting("num_machines", "1")).value_or(0),
                 .head = {},
                 .launcher = "accelerate"};
  if (const std::string host = setting("main_process_ip", ""); !host.empty()) {
    place.head = base::HostPort{.host = host,
                                .port = port_from("accelerate " + setting("main_process_port", "29500"))};
  }
  return place;
}

const Launcher kAccelerate{.section = "accelerate",
                           .programs = " accelerate-launch accelerate.commands.launch ",
                           .table = &kAccelerateTable,
                           .reduce = reduce_for_accelerate};

}  // namespace lockstep::launchers
