// One step of a job over MPI alone. `ordinary`: every rank touches memory that is not its own; `distributed`:
// rank 1 alone does.
#include <csignal>
#include <cstdio>
#include <mpi.h>
#include <string>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int world = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world);
  std::printf("rank %d of %d\n", rank, world);
  std::fflush(stdout);
  const std::string fault = argc > 1 ? argv[1] : "";
  if (fault == "ordinary" || (fault == "distributed" && rank == 1)) std::raise(SIGSEGV);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
