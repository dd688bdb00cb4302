# `lint` runs clang-tidy (with clang's own warnings) over every source file, and again only over
# what changed. Most of its time goes into headers, so it reads the files of a folder several at a
# time: one unit that includes them, one stamp, renewed when one of its files or any header of the
# project is newer. No two files of a folder may therefore use one name for two things.
find_program(CLANG_TIDY NAMES clang-tidy clang-tidy-14)
find_program(DEBIAN_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT CLANG_TIDY OR NOT DEBIAN_PYTHON)
  return()
endif()

set(lint_folder ${PROJECT_BINARY_DIR}/lint)
set(files_per_unit 8)
file(GLOB_RECURSE lint_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/*.cpp ${PROJECT_SOURCE_DIR}/apps/*.cpp
  ${PROJECT_SOURCE_DIR}/experiments/*.cpp)
file(GLOB_RECURSE lint_headers CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/*.hpp ${PROJECT_SOURCE_DIR}/apps/*.hpp
  ${PROJECT_SOURCE_DIR}/experiments/*.hpp)

# the files of each unit
list(FILTER lint_sources EXCLUDE REGEX node_modules)
list(SORT lint_sources)
set(lint_units)
set(last_folder)
foreach(source IN LISTS lint_sources)
  get_filename_component(folder ${source} DIRECTORY)
  if(NOT folder STREQUAL last_folder OR count EQUAL files_per_unit)
    file(RELATIVE_PATH unit ${PROJECT_SOURCE_DIR} ${source})
    string(REPLACE "/" "." unit ${unit})
    list(APPEND lint_units ${unit})
    set(count 0)
  endif()
  list(APPEND files_${unit} ${source})
  math(EXPR count "${count} + 1")
  set(last_folder ${folder})
endforeach()

set(lint_stamps)
foreach(unit IN LISTS lint_units)
  list(TRANSFORM files_${unit} REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE includes)
  list(JOIN includes "\n" includes)
  file(CONFIGURE OUTPUT ${lint_folder}/${unit} CONTENT "${includes}\n" @ONLY)
  set(stamp ${lint_folder}/${unit}.ok)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CLANG_TIDY} --quiet -p ${lint_folder} ${lint_folder}/${unit} 2> ${stamp}.log
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${lint_folder}/${unit} ${files_${unit}} ${lint_headers} ${PROJECT_SOURCE_DIR}/.clang-tidy
    COMMENT "clang-tidy ${unit} and what follows it" VERBATIM)
  list(APPEND lint_stamps ${stamp})
endforeach()

add_custom_target(lint_commands
  COMMAND ${DEBIAN_PYTHON} ${PROJECT_SOURCE_DIR}/tools/lint_commands.py
          ${PROJECT_BINARY_DIR}/compile_commands.json ${lint_folder})
add_custom_target(lint DEPENDS ${lint_stamps})
add_dependencies(lint lint_commands)
