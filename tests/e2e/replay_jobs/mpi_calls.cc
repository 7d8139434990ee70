// Most of MPI's calls in a few steps, for replays; every rank prints a sum of all bytes it got.
// NUDGE=STEP:RANK changes one number that rank gives to the all-reduce of that step; KILL_AT=STEP kills every
// rank before it.

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

#include "rank_sum.h"

namespace {

constexpr int kSteps = 4;
constexpr int kWidth = 12;
using Numbers = std::vector<double>;

struct Job : RankSum {
  using RankSum::add;
  void add(const Numbers& numbers) { add(numbers.data(), numbers.size() * sizeof numbers[0]); }
  void add(const MPI_Status& status) {
    int count = 0;
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    const std::array<int, 3> all{status.MPI_SOURCE, status.MPI_TAG, count};
    add(all.data(), sizeof all);
  }
  Numbers own(int count, int step) const {
    Numbers numbers(count);
    for (int i = 0; i < count; ++i) numbers[i] = 1.0 / (1 + i + 10 * rank + 100 * step);
    return numbers;
  }
};

bool is_here(const char* name, int step, int rank) {
  const char* text = std::getenv(name);
  return text != nullptr && text == std::to_string(step) + ":" + std::to_string(rank);
}

void reductions(Job& job, int step, MPI_Comm comm) {
  Numbers given = job.own(kWidth, step);
  if (is_here("NUDGE", step, job.rank)) given[3] += 1e-12;
  Numbers got(kWidth);
  MPI_Allreduce(given.data(), got.data(), kWidth, MPI_DOUBLE, MPI_SUM, comm);
  job.add(got);
  MPI_Allreduce(MPI_IN_PLACE, got.data(), kWidth, MPI_DOUBLE, MPI_MAX, comm);
  job.add(got);
  Numbers rooted(kWidth);
  MPI_Reduce(given.data(), rooted.data(), kWidth, MPI_DOUBLE, MPI_SUM, 1, comm);
  job.add(rooted);
  MPI_Scan(given.data(), got.data(), kWidth, MPI_DOUBLE, MPI_SUM, comm);
  job.add(got);
  const Numbers wide = job.own(2 * job.world, step);
  Numbers part(2);
  MPI_Reduce_scatter_block(wide.data(), part.data(), 2, MPI_DOUBLE, MPI_SUM, comm);
  job.add(part);
  struct {
    double value;
    int rank;
  } best{given[0], job.rank};
  MPI_Allreduce(MPI_IN_PLACE, &best, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm);
  job.add(&best.rank, sizeof best.rank);
}

void exchanges(Job& job, int step) {
  const Numbers given = job.own(2, step);
  Numbers all(2 * job.world);
  MPI_Gather(given.data(), 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  job.add(all);
  MPI_Allgather(given.data(), 2, MPI_DOUBLE, all.data(), 2, MPI_DOUBLE, MPI_COMM_WORLD);
  job.add(all);
  MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), 2, MPI_DOUBLE, MPI_COMM_WORLD);
  job.add(all);
  Numbers part(2);
  MPI_Scatter(all.data(), 2, MPI_DOUBLE, part.data(), 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  job.add(part);
  std::vector<int> counts(job.world);
  std::vector<int> offsets(job.world);
  for (int i = 0; i < job.world; ++i) counts[i] = 1 + i;
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  Numbers uneven(offsets.back() + counts.back());
  const Numbers mine = job.own(1 + job.rank, step);
  MPI_Allgatherv(mine.data(), 1 + job.rank, MPI_DOUBLE, uneven.data(), counts.data(), offsets.data(),
                 MPI_DOUBLE, MPI_COMM_WORLD);
  job.add(uneven);
}

// A column of a matrix: a type with gaps, whose handle is given back before the broadcast is over.
void column(Job& job, int step) {
  Numbers matrix = job.rank == 0 ? job.own(16, step) : Numbers(16, -job.rank);
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(matrix.data() + 1, 1, type, 0, MPI_COMM_WORLD, &request);
  MPI_Type_free(&type);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  job.add(matrix);
}

// Rank 0 takes what comes as it comes; the others send at their own pace. No two runs need to be alike.
void race(Job& job, int step, MPI_Comm comm) {
  const Numbers given = job.own(1 + job.rank, step);
  if (job.rank != 0) {
    ::usleep(static_cast<unsigned>(::getpid()) * 7919u % 3000);
    MPI_Send(given.data(), 1 + job.rank, MPI_DOUBLE, 0, 5 + job.rank, comm);
    return;
  }
  for (int i = 1; i < job.world; ++i) {
    MPI_Status status;
    int is_there = 0;
    std::uint64_t asked = 0;
    while (is_there == 0) {
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &is_there, &status);
      ++asked;
    }
    job.add(&asked, sizeof asked);
    Numbers room(8, 0.0);
    MPI_Recv(room.data(), 8, MPI_DOUBLE, i == 1 ? MPI_ANY_SOURCE : status.MPI_SOURCE,
             i == 1 ? MPI_ANY_TAG : status.MPI_TAG, comm, &status);
    job.add(status);
    job.add(room);
  }
}

void ring(Job& job, int step) {
  const int next = (job.rank + 1) % job.world;
  const int previous = (job.rank + job.world - 1) % job.world;
  Numbers numbers = job.own(3, step);
  MPI_Status status;
  MPI_Sendrecv_replace(numbers.data(), 3, MPI_DOUBLE, next, 1, previous, 1, MPI_COMM_WORLD, &status);
  job.add(numbers);
  job.add(status);
  Numbers got(3);
  const int behind = job.rank + 1 < job.world ? job.rank + 1 : MPI_PROC_NULL;
  const int before = job.rank > 0 ? job.rank - 1 : MPI_PROC_NULL;
  MPI_Sendrecv(numbers.data(), 3, MPI_DOUBLE, behind, 2, got.data(), 3, MPI_DOUBLE, before, 2, MPI_COMM_WORLD,
               &status);
  job.add(got);
  std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Irecv(got.data(), 3, MPI_DOUBLE, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(numbers.data(), 3, MPI_DOUBLE, next, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(numbers.data(), 3, MPI_DOUBLE, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &requests[2]);
  for (int left = 2; left > 0; --left) {
    int index = MPI_UNDEFINED;
    MPI_Waitany(2, requests.data(), &index, &status);
    job.add(&index, sizeof index);
    if (index == 0) job.add(status);
  }
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  job.add(got);
}

// Short messages, which MPI may have sent before it returns: then all have one handle.
void short_sends(Job& job, int step) {
  constexpr int kMessages = 4;
  const int next = (job.rank + 1) % job.world;
  const int previous = (job.rank + job.world - 1) % job.world;
  const Numbers given = job.own(kMessages, step);
  Numbers got(kMessages);
  std::array<MPI_Request, kMessages> sends{};
  for (int i = 0; i < kMessages; ++i) {
    MPI_Isend(&given[i], 1, MPI_DOUBLE, next, 20 + i, MPI_COMM_WORLD, &sends[i]);
  }
  for (int i = 0; i < kMessages; ++i) {
    MPI_Recv(&got[i], 1, MPI_DOUBLE, previous, 20 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  job.add(got);
  for (int i = 0; i < 2; ++i) {
    int is_over = 0;
    while (is_over == 0) MPI_Test(&sends[i], &is_over, MPI_STATUS_IGNORE);
  }
  for (int left = 2; left > 0; --left) {
    int index = MPI_UNDEFINED;
    MPI_Waitany(kMessages, sends.data(), &index, MPI_STATUS_IGNORE);
    job.add(&index, sizeof index);
  }
}

// Ranks 0 and the last one, by way of groups.
MPI_Comm outer_ranks(Job& job) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group outer = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  const std::array<int, 2> ranks{job.world - 1, 0};
  MPI_Group_incl(all, 2, ranks.data(), &outer);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_create(MPI_COMM_WORLD, outer, &made);
  int place = 0;
  MPI_Group_rank(outer, &place);
  job.add(&place, sizeof place);
  MPI_Group_free(&outer);
  MPI_Group_free(&all);
  return made;
}

void in_outer_ranks(Job& job, int step, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return;
  int rank = -1;
  int size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  Numbers numbers = job.own(2, step);
  MPI_Bcast(numbers.data(), 2, MPI_DOUBLE, size - 1, comm);
  job.add(&rank, sizeof rank);
  job.add(numbers);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.world);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -job.rank, &reversed);
  MPI_Comm reports = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &reports);
  MPI_Comm outer = outer_ranks(job);
  for (int step = 1; step <= kSteps; ++step) {
    if (is_here("KILL_AT", step, 0)) {
      ::sleep(1);  // what was received so far gets to the disk
      ::raise(SIGKILL);
    }
    reductions(job, step, step % 2 == 0 ? reversed : MPI_COMM_WORLD);
    exchanges(job, step);
    column(job, step);
    race(job, step, reports);
    ring(job, step);
    short_sends(job, step);
    in_outer_ranks(job, step, outer);
    MPI_Barrier(MPI_COMM_WORLD);
    std::printf("rank=%d step=%d sum=%016llx\n", job.rank, step, static_cast<unsigned long long>(job.sum));
    std::fflush(stdout);
  }
  MPI_Comm_free(&reversed);
  MPI_Finalize();
  return 0;
}
