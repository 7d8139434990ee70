#include "region.h"

#include <limits.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "handles.h"

namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI {
namespace {

struct Shape {
  std::int64_t size = 0;  // of one element's bytes; -1: unknown
  std::int64_t extent = 0;
  std::int64_t begin = 0;
  bool is_gapless = true;
};

Shape shape_of(MPI_Datatype type) {
  int size = 0;
  if (real.Type_size(type, &size) != MPI_SUCCESS) return {-1};
  if (predefined_type_of(type) != LOCKSTEP_DATA_TYPE_Unknown) return {size, size};
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_begin = 0;
  MPI_Aint true_extent = 0;
  if (real.Type_get_extent(type, &begin, &extent) != MPI_SUCCESS) return {-1};
  if (real.Type_get_true_extent(type, &true_begin, &true_extent) != MPI_SUCCESS) return {-1};
  return {size, extent, true_begin, extent == size && true_extent == size};
}

std::int64_t bytes_of(const Region& block, const Shape& shape) {
  const std::int64_t all = block.count * shape.size;
  return block.bytes >= 0 && block.bytes < all ? block.bytes : all;
}

// An MPI that knows of devices takes their addresses too. Asking the kernel to read one only fails.
bool is_readable_byte(const char* address) {
  char byte = 0;
  const iovec to{&byte, 1};
  const iovec from{const_cast<char*>(address), 1};
  return ::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) == 1;
}

}  // namespace

Region plain(const void* data, MPI_Datatype type, std::int64_t count) {
  return {.data = data, .count = count, .type = type, .blocks = 1};
}

Region blocks_of(const void* data, MPI_Datatype type, const int* counts, const int* offsets, int blocks) {
  return {.data = data, .type = type, .blocks = blocks, .counts = counts, .offsets = offsets};
}

Region blocks_of(const void* data, const MPI_Datatype* types, const int* counts, const int* offsets,
                 int blocks) {
  return {.data = data, .blocks = blocks, .counts = counts, .offsets = offsets, .types = types};
}

Region blocks_of(const void* data, const MPI_Datatype* types, const int* counts, const MPI_Aint* offsets,
                 int blocks) {
  return {.data = data, .blocks = blocks, .counts = counts, .far_offsets = offsets, .types = types};
}

const void* element_at(const void* data, MPI_Datatype type, std::int64_t index) {
  MPI_Aint begin = 0;
  MPI_Aint extent = 0;
  real.Type_get_extent(type, &begin, &extent);
  return static_cast<const char*>(data) + index * extent;
}

Region block_at(const Region& region, int block) {
  if (region.counts == nullptr) return region;
  if (region.types != nullptr) {
    const MPI_Aint offset = region.far_offsets != nullptr ? region.far_offsets[block] : region.offsets[block];
    return plain(static_cast<const char*>(region.data) + offset, region.types[block], region.counts[block]);
  }
  return plain(element_at(region.data, region.type, region.offsets[block]), region.type,
               region.counts[block]);
}

// Those of an array stay as they are: a call with one for each rank has no room for others.
void hold_type(Region& region) {
  if (region.blocks == 0 || region.types != nullptr) return;
  if (predefined_type_of(region.type) != LOCKSTEP_DATA_TYPE_Unknown) return;
  MPI_Datatype own = region.type;
  if (real.Type_dup(region.type, &own) == MPI_SUCCESS) region.type = own;
}

void release_type(Region& region) {
  if (region.blocks == 0 || region.types != nullptr) return;
  if (predefined_type_of(region.type) == LOCKSTEP_DATA_TYPE_Unknown) real.Type_free(&region.type);
}

bool is_readable(const void* data, std::size_t bytes) {
  if (bytes == 0 || data == nullptr) return false;
  const char* const first = static_cast<const char*>(data);
  return is_readable_byte(first) && is_readable_byte(first + bytes - 1);
}

Image::Image(const Region& region, Use use)
    : region_(region), count_(region.blocks), pieces_(region.blocks), packed_(region.blocks) {
  if (pieces_.data() == nullptr || packed_.data() == nullptr) {
    count_ = 0;
    is_whole_ = false;
  }
  for (int i = 0; i < count_; ++i) {
    packed_.data()[i] = nullptr;
    pieces_.data()[i] = {nullptr, 0};
  }
  for (int i = 0; i < count_ && is_whole_; ++i) is_whole_ = add(block_at(region, i), use, i);
}

bool Image::add(const Region& block, Use use, int number) {
  const Shape shape = shape_of(block.type);
  if (shape.size < 0 || block.count < 0) return false;
  const auto bytes = static_cast<std::size_t>(bytes_of(block, shape));
  if (bytes == 0) return true;
  lockstep_piece& piece = pieces_.data()[number];
  if (shape.is_gapless) {
    piece = {static_cast<const char*>(block.data) + shape.begin, bytes};
    return is_readable(piece.data, bytes);
  }
  const std::int64_t elements = static_cast<std::int64_t>(bytes) / shape.size;
  if (elements > INT_MAX || bytes > INT_MAX || bytes % static_cast<std::size_t>(shape.size) != 0)
    return false;
  void* const place =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  packed_.data()[number] = static_cast<char*>(place);
  piece = {place, bytes};
  int position = 0;
  return use == Use::kFill || real.Pack(block.data, static_cast<int>(elements), block.type, place,
                                        static_cast<int>(bytes), &position, handles.self) == MPI_SUCCESS;
}

void Image::hand_over() {
  for (int i = 0; i < count_; ++i) {
    if (packed_.data()[i] == nullptr) continue;
    const Region block = block_at(region_, i);
    const auto bytes = static_cast<int>(pieces_.data()[i].bytes);
    const auto elements = static_cast<int>(bytes / shape_of(block.type).size);
    int position = 0;
    real.Unpack(packed_.data()[i], bytes, &position, const_cast<void*>(block.data), elements, block.type,
                handles.self);
  }
}

Image::~Image() {
  for (int i = 0; i < count_; ++i) {
    if (packed_.data()[i] != nullptr) ::munmap(packed_.data()[i], pieces_.data()[i].bytes);
  }
}

}  // namespace lockstep::adapters::mpi::LOCKSTEP_MPI_ABI
