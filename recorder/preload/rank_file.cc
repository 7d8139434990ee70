#include "rank_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rank_environment.h"
#include "recorder/core/text.h"

#ifndef LOCKSTEP_VERSION
#error "the build says which version this is"
#endif

namespace lockstep::recorder {
namespace {

constexpr std::uint32_t kMostRestarts = 1000;

std::int32_t first_known(std::int32_t told, std::int32_t found) {
  return told >= 0 ? told : found;
}

// LOCKSTEP_RANK_FILE_PATTERN.
bool write_path(char (&path)[PATH_MAX], const char* folder, std::int32_t rank, std::uint32_t restart) {
  TextBuilder builder(path, sizeof path);
  builder.add(folder).add("/rank_").add_number(static_cast<std::uint64_t>(rank), 5);
  builder.add(".restart_").add_number(restart).add(LOCKSTEP_RANK_FILE_EXTENSION);
  return builder.fits();
}

}  // namespace

bool is_rank_known(const lockstep_rank_facts& facts) {
  return first_known(facts.rank, rank_from_environment().rank) >= 0;
}

int open_rank_file(Writer& writer, const Settings& settings, const lockstep_rank_facts& facts,
                   OpenedRank& opened) {
  const RankIdentity found = rank_from_environment();
  const bool is_told = facts.rank >= 0;
  WriterOptions options;
  options.rank = first_known(facts.rank, found.rank);
  if (options.rank < 0) return ENOENT;
  options.local_rank = first_known(facts.local_rank, found.local_rank);
  options.world_size = first_known(facts.world_size, is_told ? -1 : found.world_size);
  const std::uint32_t restart =
      facts.restart >= 0 ? static_cast<std::uint32_t>(facts.restart) : restarts_from_environment();
  options.job = settings.job;
  options.writer = "lockstep " LOCKSTEP_VERSION;
  options.max_bytes = settings.max_bytes;
  options.is_ring = settings.is_ring;
  char host[64] = {};
  if (::gethostname(host, sizeof host - 1) == 0) options.host = host;

  if (::mkdir(settings.folder, 0777) != 0 && errno != EEXIST) return errno;
  int error = EEXIST;
  for (std::uint32_t again = 0; error == EEXIST && again < kMostRestarts; ++again) {
    char path[PATH_MAX];
    if (!write_path(path, settings.folder, options.rank, restart + again)) return ENAMETOOLONG;
    options.path = path;
    options.restart = restart + again;
    error = writer.open(options);
    opened = {options.rank, options.world_size, options.restart};
  }
  return error;
}

}  // namespace lockstep::recorder
