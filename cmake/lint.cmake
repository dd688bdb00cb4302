# `lint` runs clang-tidy (with clang's own warnings) over every source file, and
# again only over what changed: one stamp per file, renewed when the file or any
# header of the project is newer.
find_program(CLANG_TIDY NAMES clang-tidy clang-tidy-14)
if(NOT CLANG_TIDY)
  return()
endif()

file(GLOB_RECURSE lint_sources CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
  ${PROJECT_SOURCE_DIR}/src/*.cpp ${PROJECT_SOURCE_DIR}/apps/*.cpp
  ${PROJECT_SOURCE_DIR}/experiments/*.cpp)
file(GLOB_RECURSE lint_headers CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/*.hpp ${PROJECT_SOURCE_DIR}/apps/*.hpp
  ${PROJECT_SOURCE_DIR}/experiments/*.hpp)

# clang cannot read what g++ has precompiled
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/lint)
add_custom_target(lint_commands
  COMMAND sed -E "s/-Winvalid-pch|-fpch-preprocess|-include [^ ]*cmake_pch.hxx//g"
          ${PROJECT_BINARY_DIR}/compile_commands.json > ${PROJECT_BINARY_DIR}/lint/compile_commands.json
  VERBATIM)

set(lint_stamps)
foreach(source IN LISTS lint_sources)
  set(stamp ${PROJECT_BINARY_DIR}/lint/${source}.ok)
  get_filename_component(stamp_folder ${stamp} DIRECTORY)
  file(MAKE_DIRECTORY ${stamp_folder})
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CLANG_TIDY} --quiet -p ${PROJECT_BINARY_DIR}/lint ${PROJECT_SOURCE_DIR}/${source}
            2> ${stamp}.log
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${PROJECT_SOURCE_DIR}/${source} ${lint_headers} ${PROJECT_SOURCE_DIR}/.clang-tidy
    COMMENT "clang-tidy ${source}" VERBATIM)
  list(APPEND lint_stamps ${stamp})
endforeach()
add_custom_target(lint DEPENDS ${lint_stamps})
add_dependencies(lint lint_commands)
