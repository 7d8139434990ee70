// One function for each launcher: its command in, the command of one rank added to the control. `head` is
// what names the launcher ("python -m torch.distributed.run"), `words` what follows it.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "isolate/control.h"

namespace lockstep::isolate {

struct Launched {
  Words head;
  std::span<const std::string> words;
};

Result<void> reduce_torchrun(const Launched& launched, const Launch& launch, Control& control);
Result<void> reduce_horovodrun(const Launched& launched, const Launch& launch, Control& control);
Result<void> reduce_mpirun(const Launched& launched, const Launch& launch, Control& control);
Result<void> reduce_srun(const Launched& launched, const Launch& launch, Control& control);
Result<void> reduce_deepspeed(const Launched& launched, const Launch& launch, Control& control);
Result<void> reduce_accelerate(const Launched& launched, const Launch& launch, Control& control);
// env, nice, uv run and the like: something known stands behind them.
Result<void> reduce_wrapped(const Launched& launched, const Launch& launch, Control& control);
// A program that nobody launches: the variables tell it that it is one of several.
Result<void> reduce_plain(std::span<const std::string> words, const Launch& launch, Control& control);

// The program of a launcher may be another launcher.
Result<void> reduce_inner(std::span<const std::string> words, const Launch& launch, Control& control);

}  // namespace lockstep::isolate
