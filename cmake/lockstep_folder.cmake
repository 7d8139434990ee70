# lockstep_folder(NAME [USES folder...] [LINKS library...] [FOLDERS folder...] [AT_ONCE word] [ALONE file...])
# One target per folder of src/: lockstep_NAME from every *.cc in it and in FOLDERS below it, and its tests from every
# *_test.cc beside them.
# USES repeats the include table of tools/check_layers as the link graph. Tests with AT_ONCE in their names run in one
# process, which starts once what they need.
#
# Sources are compiled several at a time (LOCKSTEP_UNITY, on by default): most of a compile is reading headers and
# instantiating the same templates again. Names in anonymous namespaces are therefore distinct within a folder. ALONE
# names sources that stay by themselves. The debug and tidy presets compile each source alone, which shows missing
# includes.

find_package(fmt REQUIRED)
if(LOCKSTEP_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()
include(GoogleTest)

option(LOCKSTEP_UNITY "Compile the sources of a folder several at a time" ON)
# With more at a time a change of one source compiles too much again; with fewer the headers weigh too much.
set(lockstep_sources_at_a_time 8)

function(lockstep_compile_together target)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${LOCKSTEP_UNITY} UNITY_BUILD_BATCH_SIZE ${lockstep_sources_at_a_time})
endfunction()

function(lockstep_folder name)
  cmake_parse_arguments(arg "" "AT_ONCE" "USES;LINKS;FOLDERS;ALONE" ${ARGN})
  list(TRANSFORM arg_FOLDERS APPEND "/*.cc" OUTPUT_VARIABLE source_patterns)
  list(TRANSFORM arg_FOLDERS APPEND "/*_test.cc" OUTPUT_VARIABLE test_patterns)
  file(GLOB sources CONFIGURE_DEPENDS *.cc ${source_patterns})
  file(GLOB tests CONFIGURE_DEPENDS *_test.cc ${test_patterns})
  list(REMOVE_ITEM sources ${tests} ${CMAKE_CURRENT_SOURCE_DIR}/main.cc)

  list(TRANSFORM arg_USES PREPEND lockstep_)
  add_library(lockstep_${name} STATIC ${sources})
  target_include_directories(lockstep_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(lockstep_${name} PUBLIC fmt::fmt ${arg_USES} ${arg_LINKS})
  lockstep_compile_together(lockstep_${name})
  if(arg_ALONE)
    set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()

  if(tests AND LOCKSTEP_TESTS)
    add_executable(${name}_test ${tests})
    lockstep_compile_together(${name}_test)
    # Tests run for milliseconds; their compile is what one waits for.
    target_compile_options(${name}_test PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
    set_target_properties(${name}_test PROPERTIES CXX_CLANG_TIDY "")  # minutes for each, in the test libraries' headers
    target_link_libraries(${name}_test PRIVATE
      lockstep_${name} rapidcheck GTest::gtest GTest::gmock GTest::gtest_main)
    target_compile_definitions(${name}_test PRIVATE LOCKSTEP_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    if(arg_AT_ONCE)
      set(apart TEST_FILTER -*${arg_AT_ONCE}*)
      add_test(NAME unit.${name}.${arg_AT_ONCE} COMMAND ${name}_test --gtest_filter=*${arg_AT_ONCE}*)
      set_tests_properties(unit.${name}.${arg_AT_ONCE} PROPERTIES LABELS unit)
    endif()
    gtest_discover_tests(${name}_test ${apart} TEST_PREFIX unit.${name}. PROPERTIES LABELS unit DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
