#include "readers/format.h"

#include <algorithm>
#include <array>

#include "readers/horovod/timeline.h"
#include "readers/lockstep/recording.h"
#include "readers/nccl/debug_log.h"
#include "readers/nccl/inspector.h"
#include "readers/nccl/ras.h"
#include "readers/pytorch/clog.h"
#include "readers/pytorch/flight_recorder_json.h"
#include "readers/pytorch/flight_recorder_pickle.h"
#include "readers/pytorch/kineto.h"
#include "readers/pytorch/torchrun_texts.h"
#include "readers/stacks/stacks.h"

namespace lockstep::readers {

constexpr bool kStandsInLogs = true;

// In the order in which they are asked.
std::span<const Format> all_formats() {
  static constexpr std::array kFormats = {
      Format{"PyTorch flight recorder dump", is_flight_recorder_pickle, read_flight_recorder_pickle},
      Format{"PyTorch flight recorder dump, JSON", is_flight_recorder_json, read_flight_recorder_json},
      Format{"PyTorch debug server snapshot", is_debug_server_snapshot, read_debug_server_snapshot},
      Format{"Lockstep recording", recognises_recording, read_recording},
      Format{"Lockstep account of a host", recognises_host_account, read_host_account},
      Format{"Kineto trace", recognises_kineto, read_kineto},
      Format{"Lockstep native stacks", recognises_native_stacks, read_native_stacks},
      Format{"py-spy stacks, JSON", recognises_py_spy_json, read_py_spy_json},
      Format{"py-spy stacks", recognises_py_spy_text, read_py_spy_text, kStandsInLogs},
      Format{"pystack stacks", recognises_pystack, read_pystack, kStandsInLogs},
      Format{"torchelastic error file", recognises_error_json, read_error_json},
      Format{"torchrun log", recognises_torchrun_summary, read_torchrun_summary, kStandsInLogs},
      Format{"faulthandler stacks", recognises_faulthandler, read_faulthandler, kStandsInLogs},
      Format{"NCCL RAS report, JSON", recognises_ras_json, read_ras_json},
      Format{"NCCL RAS report", recognises_ras_text, read_ras_text},
      Format{"NCCL Inspector log", recognises_nccl_inspector, read_nccl_inspector},
      Format{"Horovod timeline", recognises_horovod_timeline, read_horovod_timeline},
      Format{"torchcomms clog", recognises_clog, read_clog},
      Format{"NCCL_DEBUG log", recognises_nccl_debug_log, read_nccl_debug_log, kStandsInLogs},
      Format{"file of a rank without a dump in it", is_named_like_a_dump, read_unreadable_dump},
  };
  return kFormats;
}

const Format* sniff(const Source& source) {
  const auto formats = all_formats();
  const auto found =
      std::ranges::find_if(formats, [&](const Format& format) { return format.recognises(source); });
  return found == formats.end() ? nullptr : &*found;
}

std::vector<const Format*> formats_in(const Source& source) {
  const Format* first = sniff(source);
  if (first == nullptr) return {};
  std::vector<const Format*> found = {first};
  if (!first->stands_in_logs) return found;
  for (const Format& format : all_formats()) {
    if (&format != first && format.stands_in_logs && format.recognises(source)) found.push_back(&format);
  }
  return found;
}

}  // namespace lockstep::readers
