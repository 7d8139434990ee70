// Communicators made of others, and a sum over each. tests/records holds what it received under an older
// Lockstep.

#include <cstdio>
#include <mpi.h>

namespace {

void print_sum(int rank, const char* name, MPI_Comm communicator) {
  const double given = 1.0 / (3 + rank);
  double sum = 0;
  MPI_Allreduce(&given, &sum, 1, MPI_DOUBLE, MPI_SUM, communicator);
  int rank_in_it = -1;
  int size = 0;
  MPI_Comm_rank(communicator, &rank_in_it);
  MPI_Comm_size(communicator, &size);
  std::printf("rank=%d %s=%a as %d of %d\n", rank, name, sum, rank_in_it, size);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm copied = MPI_COMM_NULL;
  MPI_Comm_dup(reversed, &copied);
  print_sum(rank, "world", MPI_COMM_WORLD);
  print_sum(rank, "reversed", reversed);
  print_sum(rank, "copied", copied);
  MPI_Comm_free(&copied);
  MPI_Comm_free(&reversed);
  MPI_Finalize();
  return 0;
}
