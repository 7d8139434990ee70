/* The words of collective communication, once: what the recorder writes, what every reader fills in and what
 * reports print come from these lists. C11 and C++.
 *
 * A number is a promise: it is in recordings on disk. Add at the end; never change, never reuse. */
#ifndef LOCKSTEP_VOCABULARY_H
#define LOCKSTEP_VOCABULARY_H

/* X(Name, number, "printed name") */
#define LOCKSTEP_OPERATIONS(X)          \
  X(Unknown, 0, "unknown")              \
  X(AllReduce, 1, "all_reduce")         \
  X(Reduce, 2, "reduce")                \
  X(Broadcast, 3, "broadcast")          \
  X(AllGather, 4, "all_gather")         \
  X(Gather, 5, "gather")                \
  X(ReduceScatter, 6, "reduce_scatter") \
  X(Scatter, 7, "scatter")              \
  X(AllToAll, 8, "all_to_all")          \
  X(Barrier, 9, "barrier")              \
  X(Send, 10, "send")                   \
  X(Receive, 11, "receive")             \
  X(Scan, 12, "scan")                   \
  X(Coalesced, 13, "coalesced")         \
  X(Join, 14, "join")                   \
  X(CreateCommunicator, 15, "create_communicator")

#define LOCKSTEP_REDUCE_OPS(X)    \
  X(None, 0, "none")              \
  X(Sum, 1, "sum")                \
  X(Average, 2, "average")        \
  X(Product, 3, "product")        \
  X(Minimum, 4, "minimum")        \
  X(Maximum, 5, "maximum")        \
  X(BitAnd, 6, "bit_and")         \
  X(BitOr, 7, "bit_or")           \
  X(BitXor, 8, "bit_xor")         \
  X(LogicalAnd, 9, "logical_and") \
  X(LogicalOr, 10, "logical_or")  \
  X(PreMulSum, 11, "premul_sum")  \
  X(Adasum, 12, "adasum")         \
  X(Other, 13, "other")

#define LOCKSTEP_DATA_TYPES(X)     \
  X(Unknown, 0, "unknown")         \
  X(Bool, 1, "bool")               \
  X(Int8, 2, "int8")               \
  X(UInt8, 3, "uint8")             \
  X(Int16, 4, "int16")             \
  X(UInt16, 5, "uint16")           \
  X(Int32, 6, "int32")             \
  X(UInt32, 7, "uint32")           \
  X(Int64, 8, "int64")             \
  X(UInt64, 9, "uint64")           \
  X(Float16, 10, "float16")        \
  X(BFloat16, 11, "bfloat16")      \
  X(Float32, 12, "float32")        \
  X(Float64, 13, "float64")        \
  X(Float8E4M3, 14, "float8_e4m3") \
  X(Float8E5M2, 15, "float8_e5m2") \
  X(Complex64, 16, "complex64")    \
  X(Complex128, 17, "complex128")  \
  X(Other, 18, "other")

/* What a rank does around its collectives. */
#define LOCKSTEP_ACTIVITIES(X)            \
  X(Unknown, 0, "unknown")                \
  X(Step, 1, "step")                      \
  X(Epoch, 2, "epoch")                    \
  X(CheckpointSave, 3, "checkpoint_save") \
  X(CheckpointLoad, 4, "checkpoint_load") \
  X(DataWait, 5, "data_wait")             \
  X(Compile, 6, "compile")                \
  X(Evaluation, 7, "evaluation")

/* The printed word for a number. One from a newer writer has no word here and prints as "unknown". */
#define LOCKSTEP_WORD_CASE(Name, number, text) \
  case number:                                 \
    return text;

static inline const char* lockstep_operation_word(unsigned number) {
  switch (number) { LOCKSTEP_OPERATIONS(LOCKSTEP_WORD_CASE) default : return "unknown"; }
}
static inline const char* lockstep_reduce_op_word(unsigned number) {
  switch (number) { LOCKSTEP_REDUCE_OPS(LOCKSTEP_WORD_CASE) default : return "unknown"; }
}
static inline const char* lockstep_data_type_word(unsigned number) {
  switch (number) { LOCKSTEP_DATA_TYPES(LOCKSTEP_WORD_CASE) default : return "unknown"; }
}
static inline const char* lockstep_activity_word(unsigned number) {
  switch (number) { LOCKSTEP_ACTIVITIES(LOCKSTEP_WORD_CASE) default : return "unknown"; }
}

#undef LOCKSTEP_WORD_CASE

#endif
