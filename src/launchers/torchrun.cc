// torchrun, python -m torch.distributed.run and torch.distributed.launch, of PyTorch 1.9 to 2.13.
#include "config/launchers/tables.h"

namespace lockstep::config {
namespace {

constexpr FlagRules kRules{.underscore_is_dash = true, .may_be_shortened = true, .short_may_be_joined = true};

constexpr LauncherFlag kFlags[] = {
    {"--nnodes", 1, Fate::kDrop},
    {"--nproc-per-node", 1, Fate::kDrop},
    {"--node-rank", 1, Fate::kDrop},
    {"--rdzv-backend", 1, Fate::kDrop},
    {"--rdzv-endpoint", 1, Fate::kDrop},
    {"--rdzv-id", 1, Fate::kDrop},
    {"--rdzv-conf", 1, Fate::kDrop},
    {"--standalone", 0, Fate::kDrop},
    {"--master-addr", 1, Fate::kDrop},
    {"--master-port", 1, Fate::kDrop},
    {"--local-addr", 1, Fate::kDrop},
    {"--max-restarts", 1, Fate::kDrop},
    {"--log-dir", 1, Fate::kDrop},
    {"-r --redirects", 1, Fate::kDrop},
    {"-t --tee", 1, Fate::kDrop},
    {"--local-ranks-filter", 1, Fate::kDrop},
    {"--duplicate-stdout-filters", 1, Fate::kDrop},
    {"--duplicate-stderr-filters", 1, Fate::kDrop},
    {"--logs-specs", 1, Fate::kDrop},
    {"--numa-binding", 1, Fate::kDrop},
    {"--monitor-interval", 1},
    {"--start-method", 1},
    {"--event-log-handler", 1},
    {"--role", 1},
    {"--signals-to-handle", 1},
    {"--shutdown-timeout", 1},
    {"-m --module", 0},
    {"--no-python", 0},
    {"--run-path", 0},
    {"--virtual-local-rank", 0},
    {"--use-env", 0},  // torch.distributed.launch alone
};

}  // namespace

const LauncherTable kTorchrunFlags{"torchrun", kFlags, kRules};

}  // namespace lockstep::config
