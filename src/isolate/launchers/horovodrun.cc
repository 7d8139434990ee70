// horovodrun, of Horovod 0.19 to 0.28.
#include "config/launchers/tables.h"
#include "isolate/launchers/append.h"
#include "isolate/launchers/launchers.h"
#include "isolate/split_for_one.h"

namespace lockstep::isolate {
Result<void> reduce_horovodrun(const Launched& launched, const Launch& launch, Control& control) {
  const SplitForOne split = TRY(split_for_one(launched.words, config::kHorovodrunFlags));
  add_launcher(control, "horovodrun");
  append(control.command, launched.head);
  append(control.command, {"-np", "1", "-H", "localhost:1"});
  append(control.command, split.kept);
  append(control.left_out, split.dropped);
  return reduce_inner(split.program, launch, control);
}

}  // namespace lockstep::isolate
