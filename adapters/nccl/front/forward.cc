// libnccl.so.2 as a program finds it by that name: every function of NCCL, handed on without a look at its
// arguments, or, where it is recorded, to its wrapper in liblockstep_nccl.so.
//
// For programs that load NCCL by name and look its functions up, which interposition does not reach. NCCL
// itself is looked for at the first call: a preloaded front is in every process of a job, and most never need
// it.
#include <atomic>
#include <dlfcn.h>
#include <string.h>

#include "lockstep/recorder.h"

#include "adapters/nccl/wrapper_table.h"
#include "api.h"
#include "real_library.h"

namespace {

using Function = lockstep_nccl_function;

}  // namespace

extern "C" {

// By this the adapter knows the front from NCCL.
LOCKSTEP_API int lockstep_nccl_is_front(void) {
  return 1;
}

// Where each name leads. Not called before the first call of any of them has filled it.
#define LOCKSTEP_NCCL_TARGET(name)                                           \
  __attribute__((visibility("hidden"))) Function lockstep_target_nccl##name; \
  __attribute__((visibility("hidden"))) Function lockstep_target_pnccl##name;
LOCKSTEP_NCCL_API(LOCKSTEP_NCCL_TARGET)
#undef LOCKSTEP_NCCL_TARGET

// ncclInternalError: this NCCL has no such function, or there is none.
static int missing_function() {
  return 3;
}

static Function find(void* nccl, const char* name) {
  void* symbol = nccl == nullptr ? nullptr : ::dlsym(nccl, name);
  return symbol == nullptr ? reinterpret_cast<Function>(missing_function)
                           : reinterpret_cast<Function>(symbol);
}

static Function wrapped(void* nccl, const char* name) {
  const Function wrapper = nccl == nullptr ? nullptr : lockstep_nccl_wrapper(name);
  return wrapper != nullptr && ::dlsym(nccl, name) != nullptr ? wrapper : find(nccl, name);
}

// Called by the first call of any function; several threads fill in the same.
__attribute__((visibility("hidden"))) void lockstep_fill_targets(void) {
  void* nccl = lockstep::adapters::nccl::front::load_real_library();
  if (nccl != nullptr) lockstep_nccl_use_library(nccl);
#define LOCKSTEP_NCCL_FILL(name)                           \
  lockstep_target_pnccl##name = find(nccl, "pnccl" #name); \
  __atomic_store_n(&lockstep_target_nccl##name, wrapped(nccl, "nccl" #name), __ATOMIC_RELEASE);
  LOCKSTEP_NCCL_API(LOCKSTEP_NCCL_FILL)
#undef LOCKSTEP_NCCL_FILL
}

}  // extern "C"

// A jump to the target; when there is none yet, all that may hold an argument is kept while it is looked for.
#if defined(__x86_64__)
asm(R"(
  .text
lockstep_fill_and_return:
  push %rbp
  mov %rsp, %rbp
  and $-16, %rsp
  sub $192, %rsp
  mov %rdi, 0(%rsp)
  mov %rsi, 8(%rsp)
  mov %rdx, 16(%rsp)
  mov %rcx, 24(%rsp)
  mov %r8, 32(%rsp)
  mov %r9, 40(%rsp)
  mov %rax, 48(%rsp)
  movups %xmm0, 64(%rsp)
  movups %xmm1, 80(%rsp)
  movups %xmm2, 96(%rsp)
  movups %xmm3, 112(%rsp)
  movups %xmm4, 128(%rsp)
  movups %xmm5, 144(%rsp)
  movups %xmm6, 160(%rsp)
  movups %xmm7, 176(%rsp)
  call lockstep_fill_targets
  mov 0(%rsp), %rdi
  mov 8(%rsp), %rsi
  mov 16(%rsp), %rdx
  mov 24(%rsp), %rcx
  mov 32(%rsp), %r8
  mov 40(%rsp), %r9
  mov 48(%rsp), %rax
  movups 64(%rsp), %xmm0
  movups 80(%rsp), %xmm1
  movups 96(%rsp), %xmm2
  movups 112(%rsp), %xmm3
  movups 128(%rsp), %xmm4
  movups 144(%rsp), %xmm5
  movups 160(%rsp), %xmm6
  movups 176(%rsp), %xmm7
  leave
  ret
)");
#define LOCKSTEP_NCCL_JUMP(name)                          \
  asm(".globl " name "\n.type " name ", @function\n" name \
      ":\n"                                               \
      "  endbr64\n"                                       \
      "  mov lockstep_target_" name                       \
      "(%rip), %r11\n"                                    \
      "  test %r11, %r11\n"                               \
      "  jnz 1f\n"                                        \
      "  call lockstep_fill_and_return\n"                 \
      "  mov lockstep_target_" name                       \
      "(%rip), %r11\n"                                    \
      "1: jmp *%r11\n"                                    \
      ".size " name ", .-" name "\n");
#elif defined(__aarch64__)
asm(R"(
  .text
lockstep_fill_and_return:
  stp x29, x30, [sp, #-224]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp q0, q1, [sp, #96]
  stp q2, q3, [sp, #128]
  stp q4, q5, [sp, #160]
  stp q6, q7, [sp, #192]
  str x17, [sp, #88]
  bl lockstep_fill_targets
  ldr x17, [sp, #88]
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp q0, q1, [sp, #96]
  ldp q2, q3, [sp, #128]
  ldp q4, q5, [sp, #160]
  ldp q6, q7, [sp, #192]
  ldp x29, x30, [sp], #224
  ret
)");
#define LOCKSTEP_NCCL_JUMP(name)                          \
  asm(".globl " name "\n.type " name ", %function\n" name \
      ":\n"                                               \
      "  adrp x16, lockstep_target_" name                 \
      "\n"                                                \
      "  ldr x16, [x16, :lo12:lockstep_target_" name      \
      "]\n"                                               \
      "  cbnz x16, 1f\n"                                  \
      "  mov x17, x30\n"                                  \
      "  bl lockstep_fill_and_return\n"                   \
      "  mov x30, x17\n"                                  \
      "  adrp x16, lockstep_target_" name                 \
      "\n"                                                \
      "  ldr x16, [x16, :lo12:lockstep_target_" name      \
      "]\n"                                               \
      "1: br x16\n"                                       \
      ".size " name ", .-" name "\n");
#else
#error "the front knows x86-64 and 64-bit ARM"
#endif

#define LOCKSTEP_NCCL_JUMPS(name) LOCKSTEP_NCCL_JUMP("nccl" #name) LOCKSTEP_NCCL_JUMP("pnccl" #name)
LOCKSTEP_NCCL_API(LOCKSTEP_NCCL_JUMPS)
