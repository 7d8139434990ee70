#include "activation.h"

#include <atomic>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lockstep/recorder.h"

#include "library.h"

namespace lockstep::adapters::nccl {
namespace {

constexpr int kNewestKnown = 23299;  // NCCL 2.32

std::atomic<bool> shim_is_called;
std::atomic<int> described;  // the recording that says which NCCL it is

// They are loaded only where their framework communicates.
constexpr const char* kFrameworkAdapters[] = {"/lockstep_torch.so", "/lockstep_tensorflow.so",
                                              "/liblockstep_horovod.so"};

int is_framework_adapter(dl_phdr_info* object, std::size_t, void*) {
  if (object->dlpi_name == nullptr) return 0;
  for (const char* adapter : kFrameworkAdapters) {
    if (::strstr(object->dlpi_name, adapter) != nullptr) return 1;
  }
  return 0;
}

bool is_wanted() {
  const char* folder = ::getenv("LOCKSTEP_RECORD");
  if (folder == nullptr || folder[0] == '\0') return false;
  const char* asked = ::getenv("LOCKSTEP_NCCL");
  if (asked != nullptr && ::strcmp(asked, "0") == 0) return false;
  if (asked != nullptr && ::strcmp(asked, "1") == 0) return true;
  return ::dl_iterate_phdr(is_framework_adapter, nullptr) == 0;
}

// 22809 is 2.28.9; before 2.9 it was 2804 for 2.8.4.
void describe_version(int version) {
  char text[64];
  const int major = version >= 10000 ? version / 10000 : version / 1000;
  const int minor = version / 100 % (version >= 10000 ? 100 : 10);
  const int length = ::snprintf(text, sizeof text, "%d.%d.%d", major, minor, version % 100);
  lockstep_set_attribute("nccl", 4, text, static_cast<std::size_t>(length));
  if (version <= kNewestKnown) return;
  constexpr char kNewer[] = "this NCCL is newer than the adapter knows: some of its calls may be missing";
  lockstep_set_attribute("nccl adapter", 12, kNewer, sizeof kNewer - 1);
}

void describe_once() {
  const int recording = lockstep_is_recording();
  if (described.exchange(recording) == recording) return;
  int version = 0;
  if (real().GetVersion != nullptr && real().GetVersion(&version) == kSuccess) describe_version(version);
}

}  // namespace

bool begin_recording(int rank, int rank_count) {
  if (!is_wanted()) return false;
  lockstep_rank_facts facts{};
  facts.size = sizeof facts;
  facts.rank = facts.local_rank = facts.world_size = facts.restart = -1;
  int error = lockstep_is_recording() != 0 ? 0 : lockstep_start_rank(&facts);
  if (error == ENOENT && rank >= 0) {
    facts.rank = rank;
    facts.world_size = rank_count;
    error = lockstep_start_rank(&facts);
  }
  if (error != 0) return false;
  describe_once();
  return true;
}

void note_shim() {
  shim_is_called.store(true, std::memory_order_relaxed);
}

bool has_shim() {
  return shim_is_called.load(std::memory_order_relaxed);
}

}  // namespace lockstep::adapters::nccl
