// accelerate launch.
#include "config/launchers/tables.h"
#include "isolate/launchers/append.h"
#include "isolate/launchers/launchers.h"
#include "isolate/split_for_one.h"

namespace lockstep::isolate {
Result<void> reduce_accelerate(const Launched& launched, const Launch& launch, Control& control) {
  const SplitForOne split = TRY(split_for_one(launched.words, config::kAccelerateFlags));
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

}  // namespace lockstep::isolate
