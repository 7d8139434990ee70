// deepspeed, the launcher.
#include "config/launchers/tables.h"
#include "isolate/launchers/append.h"
#include "isolate/launchers/launchers.h"
#include "isolate/split_for_one.h"

namespace lockstep::isolate {
Result<void> reduce_deepspeed(const Launched& launched, const Launch& launch, Control& control) {
  const SplitForOne split = TRY(split_for_one(launched.words, config::kDeepspeedFlags));
  add_launcher(control, "deepspeed");
  append(control.command, launched.head);
  // Without a regular host file it uses this machine; the default one may exist and name others.
  append(control.command, {"--hostfile=/dev/null", "--num_gpus=1", std::string("--master_addr=") + kLoopback,
                           "--master_port=" + std::to_string(launch.free_port)});
  append(control.command, split.kept);
  append(control.command, split.program);
  append(control.left_out, split.dropped);
  return {};
}

}  // namespace lockstep::isolate
