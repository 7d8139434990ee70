# Language level, warnings and sanitizers, the same for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_compile_options(-Wall -Wextra -Werror -Wshadow $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
                    -Wnull-dereference)
# Paths in binaries are relative to the tree: builds are comparable, and ccache hits across clones.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports false null dereferences and uninitialised reads inside the standard library.
  add_compile_options(-Wno-null-dereference -Wno-maybe-uninitialized -Wno-restrict)
endif()

# Linking a hundred test programs takes minutes with the linker of binutils.
find_program(LOCKSTEP_MOLD mold)
if(LOCKSTEP_MOLD AND NOT LOCKSTEP_PORTABLE)
  string(APPEND CMAKE_EXE_LINKER_FLAGS " -fuse-ld=mold")
endif()

if(LOCKSTEP_SANITIZE)
  add_compile_options(-fsanitize=${LOCKSTEP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LOCKSTEP_SANITIZE})
endif()

if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
  # Lines are enough to read a stack or a report by; with variables too, the tool is thirty times as large.
  add_compile_options(-g1)
endif()

if(LOCKSTEP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "LOCKSTEP_FUZZ needs Clang: configure with  cmake --preset asan")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(LOCKSTEP_CCACHE ccache)
if(LOCKSTEP_CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${LOCKSTEP_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

if(LOCKSTEP_TIDY)
  find_program(LOCKSTEP_CLANG_TIDY NAMES clang-tidy-14 REQUIRED)
  set(CMAKE_CXX_CLANG_TIDY ${LOCKSTEP_CLANG_TIDY} --quiet)
endif()
