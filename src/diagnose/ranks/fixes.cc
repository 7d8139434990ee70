#include "diagnose/ranks/fixes.h"

#include <map>
#include <string>

namespace lockstep::ranks {
namespace {

using model::Fix;
using model::FixPattern;

const Fix kMeet{
    .pattern = FixPattern::kCommunicationConfiguration,
    .title = "Let the processes know of each other",
    .steps = {"Start them by one launcher (torchrun, horovodrun, mpirun, srun), or set RANK, WORLD_SIZE, "
              "MASTER_ADDR and MASTER_PORT (TF_CONFIG for TensorFlow) for each",
              "With MPI, use the launcher of the library that the program was built with, and pass the "
              "variables on to other hosts"},
    .commands = {"torchrun --nproc-per-node 2 <your script>", "env | grep -E 'RANK|WORLD|MASTER|TF_CONFIG'"}};

const Fix kAllStarted{
    .pattern = FixPattern::kCommunicationConfiguration,
    .title = "Start as many processes as the job has ranks",
    .steps = {"Compare the world size (WORLD_SIZE, -np, --nnodes times --nproc-per-node, the workers of "
              "TF_CONFIG) with the processes that run",
              "Look in the log of the missing rank's host why it did not start or what it does before it "
              "joins"},
    .commands = {"ps -eo pid,etime,args | grep python", "env | grep -E 'RANK|WORLD|MASTER|TF_CONFIG'"}};

const Fix kReachable{
    .pattern = FixPattern::kNetworkSetting,
    .title = "Let the hosts reach each other",
    .steps =
        {"Try the address and port of the meeting place from the missing rank's host; open the firewall, "
         "and name the interface where a host has several"},
    .commands = {"lockstep check --probe -- <your command>"}};

const Fix kUseDistributedApi{
    .pattern = FixPattern::kDistributedApiUsage,
    .title = "Initialise the framework's distributed part before the model is made",
    .steps =
        {"Check that init_process_group, hvd.init or the strategy's constructor runs in every process and "
         "that the world size it prints is the number of processes"},
    .commands = {}};

const Fix kSameControlFlow{
    .pattern = FixPattern::kBehaviorLogic,
    .title = "Let every rank of the group make the same calls",
    .steps =
        {"Compare where the odd rank was with where the others wait: the evidence above names both places",
         "Look for a branch that only some ranks take: `if rank == 0`, an early `break` or `return`, an "
         "exception "
         "that one rank swallows, a layer that is not used in every batch",
         "Move the collective out of the branch, or let every rank take it"},
    .commands = {}};

const Fix kEvenBatches{
    .pattern = FixPattern::kBatchOrPartition,
    .title = "Give every rank the same number of batches",
    .steps =
        {"Use a DistributedSampler (drop_last=True) or cut all ranks to the smallest number of batches",
         "In PyTorch, wrap the loop in the join context of DistributedDataParallel when batches must differ"},
    .commands = {}};

const Fix kSlowWorkOutside{
    .pattern = FixPattern::kCommunicationConfiguration,
    .title = "Allow for work that only one rank does",
    .steps = {"Where rank 0 alone saves, downloads or evaluates, put a barrier behind it and raise the "
              "timeout of the "
              "group above the time it takes"},
    .commands = {"torch.distributed.init_process_group(..., timeout=datetime.timedelta(minutes=60))"}};

const Fix kLookAtDeadRank{.pattern = FixPattern::kOther,
                          .title = "Find out why that rank died; the others only waited for it",
                          .steps = {"Read the end of that rank's own log, and the kernel log of its host for "
                                    "the out-of-memory killer and for "
                                    "device errors"},
                          .commands = {"dmesg -T | grep -iE 'out of memory|killed process|xid'"}};

const Fix kMemory{
    .pattern = FixPattern::kMemoryOrCoreSetting,
    .title = "Give the host more memory, or use less of it",
    .steps = {"Lower the number of data-loader workers or the batch size; raise the limit of the container"},
    .commands = {}};

const Fix kSameOrder{
    .pattern = FixPattern::kBehaviorLogic,
    .title = "Use the groups in the same order on every rank",
    .steps =
        {"Put the calls on the groups named above into one fixed order, for instance by the group's number",
         "Do not let threads or hooks decide the order in which groups are used"},
    .commands = {}};

const Fix kBatchMessages{
    .pattern = FixPattern::kDistributedApiUsage,
    .title = "Post both directions together, or let neighbours alternate",
    .steps = {"Exchange with batch_isend_irecv, or let even ranks send first and odd ranks receive first"},
    .commands = {}};

const Fix kPairMessages{
    .pattern = FixPattern::kBehaviorLogic,
    .title = "Give every send its receive",
    .steps = {"Count sends and receives between the two ranks in the code path of this step: one end makes "
              "one call more",
              "Pipeline schedules: check that every stage runs the same number of micro-batches"},
    .commands = {}};

const Fix kSameTensors{.pattern = FixPattern::kModelConstruction,
                       .title = "Bring the same tensor on every rank",
                       .steps = {"Look at the call on the odd rank: where does its shape or type come from?",
                                 "Check that configuration, model and code are the same on every host",
                                 "A last batch of another size: drop it or pad it"},
                       .commands = {}};

const Fix kPartition{.pattern = FixPattern::kBatchOrPartition,
                     .title = "Split the data evenly",
                     .steps = {"Use drop_last=True, or pad the last batch on every rank"},
                     .commands = {}};

const Fix kSameType{.pattern = FixPattern::kDataType,
                    .title = "Use one data type on every rank",
                    .steps = {"Check mixed-precision settings and casts on the odd rank"},
                    .commands = {}};

const Fix kSameCode{
    .pattern = FixPattern::kDeviceConsistency,
    .title = "Run the same code and libraries on every host",
    .steps = {"Compare versions and the checked-out revision on the odd rank's host with another host"},
    .commands = {"python -c \"import torch; print(torch.__version__)\"", "git rev-parse HEAD"}};

const Fix kSameVersion{.pattern = FixPattern::kFrameworkVersion,
                       .title = "Install one framework version everywhere",
                       .steps = {"Use one image or one lock file for all hosts"},
                       .commands = {}};

const Fix kMakeOnEveryRank{.pattern = FixPattern::kDistributedApiUsage,
                           .title = "Create the group on every rank",
                           .steps = {"new_group must be called by all ranks of the job, in the same order, "
                                     "also by those that are not in the "
                                     "group; or pass use_local_synchronization=True"},
                           .commands = {}};

const Fix kTransport{
    .pattern = FixPattern::kCommunicationConfiguration,
    .title = "Rule the transport out",
    .steps = {"Run once with the simplest transport; if it passes, the fast one is at fault"},
    .commands = {"NCCL_DEBUG=INFO NCCL_P2P_DISABLE=1 NCCL_IB_DISABLE=1 NCCL_SHM_DISABLE=1 <your command>"}};

const Fix kCheckDevice{
    .pattern = FixPattern::kHardware,
    .title = "Check the device and the link of the stuck rank",
    .steps = {"Look for device errors and for a link that is down or slow"},
    .commands = {"nvidia-smi -q -d ECC,PAGE_RETIREMENT", "dmesg -T | grep -iE 'xid|nvlink|mlx5'"}};

const Fix kStreams{
    .pattern = FixPattern::kBehaviorLogic,
    .title = "Do not let the device wait for the host inside a collective",
    .steps = {"Look for host synchronisation, another group's collective on the same stream, or a "
              "kernel that never ends on the stuck rank"},
    .commands = {}};

const Fix kRestartTogether{
    .pattern = FixPattern::kCommunicationConfiguration,
    .title = "Restart all ranks together",
    .steps = {"A rank that comes back alone starts counting from one while the others go on: let the "
              "launcher restart "
              "the whole job, or use a framework's elastic mode that makes the groups anew"},
    .commands = {}};

const Fix kEvenWork{
    .pattern = FixPattern::kBatchOrPartition,
    .title = "Give the slow rank no more to do than the others",
    .steps = {"Look for work that only this rank does: logging, saving, evaluation, longer samples, the "
              "largest pipeline stage or the most used experts",
              "Move it to a thread, do it less often, or split the model and the data anew"},
    .commands = {}};

const Fix kSlowDevice{
    .pattern = FixPattern::kHardware,
    .title = "Check the slow rank's device and host",
    .steps = {"Compare clocks, temperature and throttling with a fast rank's device while the job runs",
              "Look for another program on the host; take the host out and see whether the job speeds up"},
    .commands = {"nvidia-smi -q -d CLOCK,PERFORMANCE,TEMPERATURE", "top -b -n 1 | head -20"}};

const Fix kContinue{
    .pattern = FixPattern::kOther,
    .title = "Let the rank run again",
    .steps = {"Find out who stopped it: a debugger, a terminal, a frozen container or a suspended job",
              "Send it SIGCONT, or thaw its cgroup; the others go on by themselves unless a timeout has "
              "ended them"},
    .commands = {"kill -CONT <pid>", "cat /proc/<pid>/status | grep -E 'State|TracerPid'"}};

const Fix kCores{
    .pattern = FixPattern::kMemoryOrCoreSetting,
    .title = "Give every rank cores of its own",
    .steps = {"Check that ranks are bound to different cores near their device, and that threads per rank "
              "times ranks do not exceed the cores",
              "Raise the number of data-loader workers where the rank waits for data"},
    .commands = {"export OMP_NUM_THREADS=<cores per rank>"}};

const Fix kSlowWay{
    .pattern = FixPattern::kNetworkSetting,
    .title = "Check the link between the ranks",
    .steps = {"Compare link speed, errors and the chosen interface at both ends with another pair"},
    .commands = {"ibstat", "ethtool -S <interface> | grep -iE 'err|drop'", "nvidia-smi topo -m"}};

const Fix kFasterTransport{
    .pattern = FixPattern::kCommunicationConfiguration,
    .title = "See that the fastest transport is used, and communication overlaps with work",
    .steps =
        {"Read in the log which transport each link uses",
         "Let gradients be reduced while the backward pass runs; use larger buckets for many small ones"},
    .commands = {"NCCL_DEBUG=INFO <your command>"}};

const Fix kMoreWorkPerCall{
    .pattern = FixPattern::kBatchOrPartition,
    .title = "Do more work between collectives",
    .steps = {"Raise the batch per rank or accumulate gradients over several batches; use fewer ranks where "
              "the model is small"},
    .commands = {}};

const Fix kBoundedWork{
    .pattern = FixPattern::kBehaviorLogic,
    .title = "Find what grows with every step, and bound it",
    .steps =
        {"Look for lists, caches and histories that each step adds to and reads as a whole: losses, "
         "metrics, outputs kept for the end of the epoch",
         "In PyTorch, keep losses by .item() or .detach(): a sum of losses holds the graph of all steps; "
         "in TensorFlow, make no new operations or tf.functions inside the loop"},
    .commands = {}};

const Fix kSameState{
    .pattern = FixPattern::kDistributedApiUsage,
    .title = "Let the framework keep the ranks the same",
    .steps = {"Broadcast weights, buffers and the optimiser's state from one rank at the start and after "
              "loading a checkpoint",
              "Seed every rank as the framework expects"},
    .commands = {}};

const Fix kSilentCorruption{
    .pattern = FixPattern::kHardware,
    .title = "Suspect the device or the link of the odd rank",
    .steps = {"Run the same step again on other hardware; where the result differs only on this rank, take "
              "the host out",
              "Go back to a checkpoint from before this step"},
    .commands = {"nvidia-smi -q -d ECC,PAGE_RETIREMENT", "dmesg -T | grep -iE 'xid|nvlink|mce'"}};

const Fix kNoRace{
    .pattern = FixPattern::kBehaviorLogic,
    .title = "Do not touch a tensor while it is being communicated",
    .steps = {"Wait for the collective before the result is read or the buffer written again, also on other "
              "streams"},
    .commands = {}};

const Fix kShard{
    .pattern = FixPattern::kBatchOrPartition,
    .title = "Give every rank its own share of the data",
    .steps = {"Use a DistributedSampler, or shard the files or records by rank and world size",
              "Let the seed of shuffling be the same on all ranks and the rank choose the share; call "
              "set_epoch in every epoch"},
    .commands = {}};

const Fix kAverageGradients{
    .pattern = FixPattern::kDistributedApiUsage,
    .title = "Let the wrapper average the gradients",
    .steps = {"Call the wrapped model, not the one inside; use the wrapped optimizer",
              "Leave no_sync for the last backward pass before every step of the optimizer"},
    .commands = {}};

const Fix kSameUpdates{
    .pattern = FixPattern::kBehaviorLogic,
    .title = "Change weights by the optimizer alone, and in the same way on every rank",
    .steps = {"Look for code of one rank only that writes to parameters: clipping, averaging, loading, noise",
              "Let no rank leave out or add a step of the optimizer"},
    .commands = {}};

const Fix kSameBuffers{
    .pattern = FixPattern::kDistributedApiUsage,
    .title = "Keep running statistics the same on all ranks",
    .steps = {"Let DistributedDataParallel broadcast buffers (broadcast_buffers=True, its default), or "
              "convert the "
              "model with SyncBatchNorm.convert_sync_batchnorm",
              "Where they are left apart on purpose, average them before the model is evaluated or saved"},
    .commands = {}};

const std::map<std::string, std::vector<Fix>, std::less<>>& table() {
  static const std::map<std::string, std::vector<Fix>, std::less<>> kTable = {
      {"parallel.world_of_one", {kMeet, kUseDistributedApi}},
      {"desync.missing_rank", {kSameControlFlow, kEvenBatches, kSlowWorkOutside}},
      {"desync.missing_evidence", {kLookAtDeadRank, kSameControlFlow, kMemory}},
      {"desync.dead_rank", {kLookAtDeadRank, kMemory, kCheckDevice}},
      {"desync.stopped_rank", {kContinue, kLookAtDeadRank}},
      {"desync.failed_rank", {kLookAtDeadRank, kSameControlFlow, kMemory}},
      {"desync.ended_early", {kEvenBatches, kSameControlFlow}},
      {"desync.slow_work", {kSlowWorkOutside, kSameControlFlow, kEvenBatches}},
      {"desync.data_loading", {kEvenBatches, kMemory, kSlowWorkOutside}},
      {"desync.extra_collective", {kSameControlFlow, kEvenBatches}},
      {"desync.rank_restarted", {kRestartTogether}},
      {"desync.stuck_in_collective", {kTransport, kCheckDevice, kStreams}},
      {"deadlock.order_inversion", {kSameOrder, kSameControlFlow}},
      {"deadlock.point_to_point", {kBatchMessages, kPairMessages}},
      {"point_to_point.unmatched_send", {kPairMessages, kBatchMessages}},
      {"point_to_point.unmatched_receive", {kPairMessages, kBatchMessages}},
      {"mismatch.message", {kSameTensors, kPairMessages}},
      {"mismatch.operation", {kSameControlFlow, kEvenBatches, kSameCode}},
      {"mismatch.skipped_collective", {kSameControlFlow, kEvenBatches}},
      {"mismatch.extra_collective", {kSameControlFlow, kEvenBatches}},
      {"mismatch.shape", {kPartition, kSameTensors, kSameControlFlow, kSameCode}},
      {"mismatch.data_type", {kSameType, kSameTensors, kSameCode}},
      {"mismatch.reduce_op", {kSameControlFlow, kSameCode}},
      {"mismatch.root", {kSameControlFlow, kSameCode}},
      {"mismatch.exchange", {kPartition, kSameTensors}},
      {"setup.rank_not_started", {kAllStarted, kReachable, kSameCode}},
      {"setup.communicator_not_made", {kMakeOnEveryRank, kSameControlFlow}},
      {"versions.differ", {kSameCode, kSameVersion}},
      {"desync.lagging_counter", {kSameControlFlow, kEvenBatches, kSlowWorkOutside}},
      {"straggler.rank", {kEvenWork, kSlowDevice, kCores}},
      {"straggler.host", {kSlowDevice, kCores, kEvenWork}},
      {"straggler.link", {kFasterTransport, kSlowWay, kSlowDevice}},
      {"communication.exposed", {kMoreWorkPerCall, kFasterTransport}},
      {"slow.rate_falls", {kBoundedWork, kMemory, kSlowDevice}},
      {"parallel.same_inputs", {kShard, kAverageGradients}},
      {"parallel.lone_steps", {kAverageGradients, kSameControlFlow}},
      {"divergence.outputs_differ", {kSameState, kNoRace, kSilentCorruption}},
      {"divergence.parameters_differ", {kSameState, kSameUpdates, kSilentCorruption}},
      {"divergence.buffers_differ", {kSameBuffers, kSameState}},
  };
  return kTable;
}

}  // namespace

std::vector<Fix> fixes_for(std::string_view code) {
  const auto found = table().find(code);
  return found == table().end() ? std::vector<Fix>{} : found->second;
}

std::vector<std::string_view> codes_with_fixes() {
  std::vector<std::string_view> codes;
  for (const auto& [code, fixes] : table()) codes.push_back(code);
  return codes;
}

}  // namespace lockstep::ranks
