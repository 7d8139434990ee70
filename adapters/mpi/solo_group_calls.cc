// What a replay does with groups.
#include "fill.h"
#include "local_array.h"
#include "solo.h"
#include "solo_groups.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

int solo_Group_size(MPI_Group group, int* size) {
  *size = Ours(group).group.size;
  return MPI_SUCCESS;
}

int solo_Group_rank(MPI_Group group, int* rank) {
  *rank = place_in(Ours(group).group, recorded_rank());
  return MPI_SUCCESS;
}

bool is_within(const SoloGroup& group, int place) {
  return place >= 0 && place < group.size;
}

int solo_Group_incl(MPI_Group group, int count, const int* places, MPI_Group* made) {
  const Ours from(group);
  SoloGroup& result = *make_group(count, made);
  for (int i = 0; i < count; ++i) {
    if (!is_within(from.group, places[i])) return MPI_ERR_RANK;
    append(result, from.group.members[places[i]]);
  }
  return MPI_SUCCESS;
}

int solo_Group_excl(MPI_Group group, int count, const int* places, MPI_Group* made) {
  const Ours from(group);
  const SoloGroup left_out{const_cast<int*>(places), count, count, {}};
  SoloGroup& result = *make_group(from.group.size, made);
  for (int i = 0; i < from.group.size; ++i) {
    if (!holds(left_out, i)) append(result, from.group.members[i]);
  }
  return MPI_SUCCESS;
}

// The places that triples of first, last and stride name.
template <typename Use>
int with_ranges(MPI_Group group, int count, int (*ranges)[3], Use use) {
  const Ours from(group);
  LocalArray<int> places(from.group.size);
  if (places.data() == nullptr) leave_replay("no memory");
  int used = 0;
  for (int i = 0; i < count; ++i) {
    const auto [first, last, stride] = ranges[i];
    if (stride == 0) return MPI_ERR_ARG;
    for (int at = first; stride > 0 ? at <= last : at >= last; at += stride) {
      if (!is_within(from.group, at) || used == from.group.size) return MPI_ERR_RANK;
      places.data()[used++] = at;
    }
  }
  return use(used, places.data());
}

int solo_Group_range_incl(MPI_Group group, int count, int ranges[][3], MPI_Group* made) {
  return with_ranges(group, count, ranges,
                     [&](int used, const int* places) { return solo_Group_incl(group, used, places, made); });
}

int solo_Group_range_excl(MPI_Group group, int count, int ranges[][3], MPI_Group* made) {
  return with_ranges(group, count, ranges,
                     [&](int used, const int* places) { return solo_Group_excl(group, used, places, made); });
}

int solo_Group_union(MPI_Group one, MPI_Group other, MPI_Group* made) {
  const Ours a(one);
  const Ours b(other);
  SoloGroup& result = *make_group(a.group.size + b.group.size, made);
  for (int i = 0; i < a.group.size; ++i) append(result, a.group.members[i]);
  for (int i = 0; i < b.group.size; ++i) {
    if (!holds(a.group, b.group.members[i])) append(result, b.group.members[i]);
  }
  return MPI_SUCCESS;
}

int select(MPI_Group one, MPI_Group other, bool is_in_both, MPI_Group* made) {
  const Ours a(one);
  const Ours b(other);
  SoloGroup& result = *make_group(a.group.size, made);
  for (int i = 0; i < a.group.size; ++i) {
    if (holds(b.group, a.group.members[i]) == is_in_both) append(result, a.group.members[i]);
  }
  return MPI_SUCCESS;
}

int solo_Group_intersection(MPI_Group one, MPI_Group other, MPI_Group* made) {
  return select(one, other, true, made);
}

int solo_Group_difference(MPI_Group one, MPI_Group other, MPI_Group* made) {
  return select(one, other, false, made);
}

int solo_Group_translate_ranks(MPI_Group one, int count, const int* places, MPI_Group other, int* result) {
  const Ours a(one);
  const Ours b(other);
  for (int i = 0; i < count; ++i) {
    if (places[i] == MPI_PROC_NULL) {
      result[i] = MPI_PROC_NULL;
    } else if (is_within(a.group, places[i])) {
      result[i] = place_in(b.group, a.group.members[places[i]]);
    } else {
      return MPI_ERR_RANK;
    }
  }
  return MPI_SUCCESS;
}

int solo_Group_compare(MPI_Group one, MPI_Group other, int* result) {
  compare_groups(one, other, result);
  return MPI_SUCCESS;
}

int solo_Group_free(MPI_Group* group) {
  if (find_group(*group) == nullptr) return real.Group_free(group);
  free_group(group);
  return MPI_SUCCESS;
}

}  // namespace

void fill_solo_groups(AnyFunction* table) {
#define LOCKSTEP_FILL_SOLO(name) put(table, k##name, real.name, solo_##name);
  LOCKSTEP_FILL_SOLO(Group_size)
  LOCKSTEP_FILL_SOLO(Group_rank)
  LOCKSTEP_FILL_SOLO(Group_incl)
  LOCKSTEP_FILL_SOLO(Group_excl)
  LOCKSTEP_FILL_SOLO(Group_range_incl)
  LOCKSTEP_FILL_SOLO(Group_range_excl)
  LOCKSTEP_FILL_SOLO(Group_union)
  LOCKSTEP_FILL_SOLO(Group_intersection)
  LOCKSTEP_FILL_SOLO(Group_difference)
  LOCKSTEP_FILL_SOLO(Group_translate_ranks)
  LOCKSTEP_FILL_SOLO(Group_compare)
  LOCKSTEP_FILL_SOLO(Group_free)
#undef LOCKSTEP_FILL_SOLO
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
