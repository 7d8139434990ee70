#include "payload.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "entropy.h"
#include "process_texts.h"
#include "recorder/core/checksum.h"
#include "recorder/core/text.h"

namespace lockstep::recorder {
namespace {

bool write_folder(char (&path)[PATH_MAX], const char* recording) {
  return TextBuilder(path, sizeof path).add(recording).add("/" LOCKSTEP_PAYLOAD_FOLDER).fits();
}

// LOCKSTEP_PAYLOAD_FILE_PATTERN without its extension.
bool write_base(char (&path)[PATH_MAX], const char* folder, const OpenedRank& rank) {
  TextBuilder builder(path, sizeof path);
  builder.add(folder).add("/rank_").add_number(static_cast<std::uint64_t>(rank.rank), 5);
  builder.add(".restart_").add_number(rank.restart);
  return builder.fits();
}

bool write_claims_path(char (&path)[PATH_MAX], const char* folder, const OpenedRank& rank) {
  char host[64] = {};
  if (::gethostname(host, sizeof host - 1) != 0) return false;
  TextBuilder builder(path, sizeof path);
  builder.add(folder).add("/.shared_").add_number(rank.restart).add("_").add(host);
  return builder.fits();
}

bool starts_with_replay(const Settings& settings) {
  return settings.replay[0] != '\0';
}

}  // namespace

void Payload::open(const Settings& settings, const OpenedRank& rank) {
  const bool replays = starts_with_replay(settings);
  if (!replays && !settings.wants_payload) return;
  char folder[PATH_MAX];
  char base[PATH_MAX];
  char claims[PATH_MAX];
  if (names_.create() != 0 || !write_folder(folder, settings.folder)) return;
  if (::mkdir(folder, 0777) != 0 && errno != EEXIST) return;
  if (!write_base(base, folder, rank) || !write_claims_path(claims, folder, rank)) return;
  PayloadOptions options;
  options.base = base;
  options.claims_path = replays ? nullptr : claims;
  options.rank = rank.rank;
  options.world_size = rank.world_size;
  options.restart = rank.restart;
  options.memory_bytes = settings.payload_memory;
  options.window = {settings.payload_steps, settings.payload_since_checkpoint};
  if (keeper_.open(options) != 0) return;
  note_process_texts(keeper_);
  if (!replays) {
    hand_over_entropy(keeper_);
    mode_ = LOCKSTEP_PAYLOAD_KEEPS;
  } else if (write_folder(folder, settings.replay) &&
             index_.open(folder, rank.rank, settings.replay_restart) == 0) {
    mode_ = LOCKSTEP_PAYLOAD_SERVES;
    first_step_ = settings.replay_from_step;
    if (first_step_ != 0 && resumed_.open(index_, first_step_) != 0) mode_ = LOCKSTEP_PAYLOAD_OFF;
  }
}

void Payload::define_communicator(std::uint32_t id, const lockstep_communicator_facts& facts) {
  if (mode_ == LOCKSTEP_PAYLOAD_OFF || id == 0) return;
  const char* const name = facts.name != nullptr ? facts.name : "";
  const std::uint32_t count = facts.members != nullptr ? facts.member_count : 0;
  const lockstep_piece pieces[2] = {{name, ::strlen(name)}, {facts.members, count * sizeof *facts.members}};
  const std::uint64_t key = checksum(pieces, 2);
  if (names_.remember(id, key)) keeper_.note_communicator(key, name, ::strlen(name), facts.members, count);
}

PayloadKey Payload::key_of(const lockstep_ticket& ticket) {
  PayloadKey key{names_.name(ticket.communicator), ticket.sequence, ticket.peer, ticket.operation};
  if (key.communicator != 0) key.sequence = resumed_.recorded(key);
  return key;
}

void Payload::begin_step() {
  resumed_.begin_loop();
  keeper_.begin_step(first_step_);
}

}  // namespace lockstep::recorder
