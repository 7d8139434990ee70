// MPI's own reduce operations and data types, with our words for them. X(MPI's name, Open MPI's symbol, word)
#pragma once

#define LOCKSTEP_MPI_OPS(X)                 \
  X(MPI_SUM, ompi_mpi_op_sum, Sum)          \
  X(MPI_PROD, ompi_mpi_op_prod, Product)    \
  X(MPI_MIN, ompi_mpi_op_min, Minimum)      \
  X(MPI_MAX, ompi_mpi_op_max, Maximum)      \
  X(MPI_BAND, ompi_mpi_op_band, BitAnd)     \
  X(MPI_BOR, ompi_mpi_op_bor, BitOr)        \
  X(MPI_BXOR, ompi_mpi_op_bxor, BitXor)     \
  X(MPI_LAND, ompi_mpi_op_land, LogicalAnd) \
  X(MPI_LOR, ompi_mpi_op_lor, LogicalOr)

// Bytes and characters are one word: programs use them for each other.
#define LOCKSTEP_MPI_TYPES(X)                                    \
  X(MPI_BYTE, ompi_mpi_byte, UInt8)                              \
  X(MPI_CHAR, ompi_mpi_char, UInt8)                              \
  X(MPI_UNSIGNED_CHAR, ompi_mpi_unsigned_char, UInt8)            \
  X(MPI_PACKED, ompi_mpi_packed, UInt8)                          \
  X(MPI_UINT8_T, ompi_mpi_uint8_t, UInt8)                        \
  X(MPI_SIGNED_CHAR, ompi_mpi_signed_char, Int8)                 \
  X(MPI_INT8_T, ompi_mpi_int8_t, Int8)                           \
  X(MPI_C_BOOL, ompi_mpi_c_bool, Bool)                           \
  X(MPI_SHORT, ompi_mpi_short, Int16)                            \
  X(MPI_INT16_T, ompi_mpi_int16_t, Int16)                        \
  X(MPI_UNSIGNED_SHORT, ompi_mpi_unsigned_short, UInt16)         \
  X(MPI_UINT16_T, ompi_mpi_uint16_t, UInt16)                     \
  X(MPI_INT, ompi_mpi_int, Int32)                                \
  X(MPI_INT32_T, ompi_mpi_int32_t, Int32)                        \
  X(MPI_UNSIGNED, ompi_mpi_unsigned, UInt32)                     \
  X(MPI_UINT32_T, ompi_mpi_uint32_t, UInt32)                     \
  X(MPI_LONG, ompi_mpi_long, Int64)                              \
  X(MPI_LONG_LONG_INT, ompi_mpi_long_long_int, Int64)            \
  X(MPI_INT64_T, ompi_mpi_int64_t, Int64)                        \
  X(MPI_UNSIGNED_LONG, ompi_mpi_unsigned_long, UInt64)           \
  X(MPI_UNSIGNED_LONG_LONG, ompi_mpi_unsigned_long_long, UInt64) \
  X(MPI_UINT64_T, ompi_mpi_uint64_t, UInt64)                     \
  X(MPI_FLOAT, ompi_mpi_float, Float32)                          \
  X(MPI_DOUBLE, ompi_mpi_double, Float64)                        \
  X(MPI_C_FLOAT_COMPLEX, ompi_mpi_c_float_complex, Complex64)    \
  X(MPI_C_DOUBLE_COMPLEX, ompi_mpi_c_double_complex, Complex128) \
  X(MPI_INTEGER, ompi_mpi_integer, Int32)                        \
  X(MPI_REAL, ompi_mpi_real, Float32)                            \
  X(MPI_DOUBLE_PRECISION, ompi_mpi_dblprec, Float64)             \
  X(MPI_COMPLEX, ompi_mpi_cplex, Complex64)                      \
  X(MPI_DOUBLE_COMPLEX, ompi_mpi_dblcplex, Complex128)
