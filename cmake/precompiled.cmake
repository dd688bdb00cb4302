# precompile(TARGET [HEADER...]): the headers that nearly every file includes are read once per
# target, or once for all targets of a GROUP, which must be compiled alike. Files still include
# what they use: the linter reads them without this.
option(STICKSLIP_PRECOMPILE "Precompile common headers" ${PROJECT_IS_TOP_LEVEL})

function(precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "GROUP" "")
  if(NOT STICKSLIP_PRECOMPILE)
    return()
  endif()
  # lets ccache look behind the precompiled header
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  if(arg_GROUP)
    get_property(first GLOBAL PROPERTY precompiled_${arg_GROUP})
    if(first)
      target_precompile_headers(${target} REUSE_FROM ${first})
      return()
    endif()
    set_property(GLOBAL PROPERTY precompiled_${arg_GROUP} ${target})
  endif()
  target_precompile_headers(${target} PRIVATE <algorithm> <array> <cmath> <cstdint> <filesystem>
    <functional> <limits> <memory> <optional> <random> <span> <string> <vector>
    <Eigen/Core> <Eigen/Geometry> <fmt/core.h> ${arg_UNPARSED_ARGUMENTS})
endfunction()
