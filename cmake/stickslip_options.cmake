# Compiler settings shared by every target of the project.
if(PROJECT_IS_TOP_LEVEL)
  find_program(CCACHE_PROGRAM ccache)
  if(CCACHE_PROGRAM)
    # what precompiled headers need, says its manual
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
  endif()
endif()

# x86-64-v3 (AVX2, FMA) is what every desktop of the last ten years has, and gives
# the same bits on all of them; `native` or an empty string can be asked for.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(STICKSLIP_ARCH "x86-64-v3" CACHE STRING "Value of -march, or empty")
else()
  set(STICKSLIP_ARCH "" CACHE STRING "Value of -march, or empty")
endif()

add_library(stickslip_options INTERFACE)
target_compile_options(stickslip_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion $<$<BOOL:${PROJECT_IS_TOP_LEVEL}>:-Werror>
  $<$<BOOL:${STICKSLIP_ARCH}>:-march=${STICKSLIP_ARCH}>)
if(STICKSLIP_SANITIZE)
  target_compile_options(stickslip_options INTERFACE
    -fsanitize=${STICKSLIP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(stickslip_options INTERFACE -fsanitize=${STICKSLIP_SANITIZE})
endif()
if(STICKSLIP_SANITIZE STREQUAL "thread")
  # fences of Boost.Asio, which g++ cannot follow here; no data of ours relies on them
  target_compile_options(stickslip_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
endif()
