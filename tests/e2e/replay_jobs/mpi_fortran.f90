! A small Fortran program for replays, by the module mpi or, with -DF08, mpi_f08: collectives in place and not, requests,
! messages from anybody and matched ones, groups and a grid. Every rank prints a sum of all it got.
program mpi_fortran
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
#ifdef F08
#define HANDLE(kind) type(kind)
#define STATUS type(MPI_Status)
#define SOURCE(it) it%MPI_SOURCE
#else
#define HANDLE(kind) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define SOURCE(it) it(MPI_SOURCE)
#endif
  integer, parameter :: steps = 3, width = 6
  integer :: rank, world, step, i, fault, source, destination, count
  integer, allocatable :: even(:)
  double precision :: own(width), summed(width), total
  double precision, allocatable :: gathered(:)
  HANDLE(MPI_Comm) :: grid, part
  HANDLE(MPI_Group) :: all_ranks, some
  HANDLE(MPI_Request) :: requests(2)
  HANDLE(MPI_Message) :: message
  STATUS :: state
  logical :: rings(1)

  call MPI_Init(fault)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, fault)
  call MPI_Comm_size(MPI_COMM_WORLD, world, fault)
  allocate(gathered(width * world))
  rings(1) = .true.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [world], rings, .false., grid, fault)
  call MPI_Comm_group(MPI_COMM_WORLD, all_ranks, fault)
  allocate(even((world + 1) / 2))
  even = [(2 * i, i = 0, size(even) - 1)]
  call MPI_Group_incl(all_ranks, size(even), even, some, fault)
  call MPI_Comm_create(MPI_COMM_WORLD, some, part, fault)
  call MPI_Group_free(some, fault)
  total = 0

  do step = 1, steps
    own = [(1.0d0 / (i + 3 * rank + 11 * step), i = 1, width)]
    call MPI_Allreduce(own, summed, width, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, fault)
    call MPI_Allreduce(MPI_IN_PLACE, own, width, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, fault)
    call MPI_Allgather(own, width, MPI_DOUBLE_PRECISION, gathered, width, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, fault)
    total = total + sum(summed) + sum(own) + sum(gathered)
    call MPI_Cart_shift(grid, 0, 1, source, destination, fault)
    call MPI_Irecv(summed, width, MPI_DOUBLE_PRECISION, source, 5, grid, requests(1), fault)
    call MPI_Isend(own, width, MPI_DOUBLE_PRECISION, destination, 5, grid, requests(2), fault)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, fault)
    total = total + sum(summed) * (rank + 1)
    if (mod(rank, 2) == 0) then
      call MPI_Bcast(own, width, MPI_DOUBLE_PRECISION, 0, part, fault)
      total = total + sum(own)
    end if
    if (rank /= 0) then
      call MPI_Send(own, rank, MPI_DOUBLE_PRECISION, 0, 7, MPI_COMM_WORLD, fault)
    else
      do i = 1, world - 1
        if (mod(i, 2) == 0) then
          call MPI_Recv(summed, width, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, state, fault)
        else
          call MPI_Mprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, message, state, fault)
          call MPI_Mrecv(summed, width, MPI_DOUBLE_PRECISION, message, state, fault)
        end if
        call MPI_Get_count(state, MPI_DOUBLE_PRECISION, count, fault)
        total = total * 1.0001d0 + SOURCE(state) * sum(summed(1:count))
      end do
    end if
    call MPI_Barrier(MPI_COMM_WORLD, fault)
    print '(a,i0,a,i0,a,z16.16)', 'rank=', rank, ' step=', step, ' sum=', transfer(total, 1_8)
    flush(6)
  end do
  call MPI_Finalize(fault)
end program mpi_fortran
