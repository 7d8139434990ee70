#include "channels.h"

#include <memory>
#include <new>
#include <string>

#include "lockstep/recorder.h"

namespace lockstep::adapters::horovod {
namespace {

constexpr int kMostMembers = 1 << 16;
constexpr std::uint64_t kUsesMask = 0xffffffff;

void note_overflow() {
  constexpr char kKey[] = "python adapter";
  constexpr char kText[] = "more than 4096 tensor names: Horovod's calls under further ones are not recorded";
  lockstep_set_attribute(kKey, sizeof kKey - 1, kText, sizeof kText - 1);
}

std::uint32_t define(const HorovodLibrary& horovod, std::int32_t process_set, const char* text) {
  const std::unique_ptr<std::int32_t[]> members(new (std::nothrow) std::int32_t[kMostMembers]);
  if (members == nullptr) return 0;
  const int count = horovod.members_of(process_set, members.get(), kMostMembers);
  if (count == 0) return 0;
  std::string name = "horovod ";
  if (process_set != 0) name += "process set " + std::to_string(process_set) + " ";
  name += text;
  lockstep_communicator_facts facts{};
  facts.size = sizeof facts;
  facts.member_count = static_cast<std::uint32_t>(count);
  facts.members = members.get();
  facts.rank_in_it = -1;
  for (int at = 0; at < count; ++at) {
    if (members[static_cast<std::size_t>(at)] == horovod.rank()) facts.rank_in_it = at;
  }
  facts.name = name.c_str();
  facts.backend = horovod.backend();
  return lockstep_define_communicator(&facts);
}

}  // namespace

Channels::Channel* Channels::find(std::uint64_t key) {
  constexpr std::size_t kPlaces = 2 * kMost;
  const std::size_t start = static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> 32) % kPlaces;
  for (std::size_t probe = 0; probe < kPlaces; ++probe) {
    Channel& channel = channels_[(start + probe) % kPlaces];
    std::uint64_t found = channel.key.load(std::memory_order_acquire);
    if (found == 0) {
      if (taken_.load(std::memory_order_relaxed) >= kMost) return nullptr;
      if (channel.key.compare_exchange_strong(found, key)) {
        if (taken_.fetch_add(1) + 1 == kMost) note_overflow();
        return &channel;
      }
    }
    if (found == key) return &channel;
  }
  return nullptr;
}

std::uint64_t Channels::count(Channel& channel) {
  const std::uint64_t joins = joins_.load(std::memory_order_relaxed);
  std::uint64_t before = channel.uses.load(std::memory_order_relaxed);
  std::uint64_t now = 0;
  do {
    now = (before >> 32) == joins ? before + 1 : (joins << 32) + 1;
  } while (!channel.uses.compare_exchange_weak(before, now));
  return joins * kNumbersOfALife + (now & kUsesMask);
}

Place Channels::next(const HorovodLibrary& horovod, std::int32_t process_set, std::uint32_t name,
                     const char* text) {
  if (name == 0) return {};
  const auto key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(process_set)) << 32) | name;
  Channel* channel = find(key);
  if (channel == nullptr) return {};
  std::uint32_t communicator = channel->communicator.load(std::memory_order_relaxed);
  if (communicator == 0) {
    communicator = define(horovod, process_set, text);
    channel->communicator.store(communicator, std::memory_order_relaxed);
  }
  return {.communicator = communicator, .sequence = count(*channel)};
}

void Channels::forget_all() {
  for (Channel& channel : channels_) {
    channel.key.store(0, std::memory_order_relaxed);
    channel.communicator.store(0, std::memory_order_relaxed);
    channel.uses.store(0, std::memory_order_relaxed);
  }
  taken_.store(0, std::memory_order_relaxed);
  joins_.store(0, std::memory_order_relaxed);
}

}  // namespace lockstep::adapters::horovod
