# `lint` runs clang-tidy (with clang's own warnings) over every unit of source files (units.cmake),
# and again only over what changed: a unit has a stamp, renewed when one of its files or any header
# of the project is newer.
find_program(CLANG_TIDY NAMES clang-tidy clang-tidy-14)
find_program(DEBIAN_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT CLANG_TIDY OR NOT DEBIAN_PYTHON)
  return()
endif()

set(lint_folder ${PROJECT_BINARY_DIR}/lint)
file(GLOB_RECURSE lint_headers CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/*.hpp ${PROJECT_SOURCE_DIR}/apps/*.hpp
  ${PROJECT_SOURCE_DIR}/experiments/*.hpp)
list(FILTER lint_headers EXCLUDE REGEX node_modules)

get_property(units GLOBAL PROPERTY stickslip_units)
set(lint_stamps)
foreach(unit IN LISTS units)
  get_property(files GLOBAL PROPERTY files_of_${unit})
  file(RELATIVE_PATH name ${PROJECT_BINARY_DIR} ${unit})
  string(REPLACE "/" "." name ${name})
  set(stamp ${lint_folder}/${name}.ok)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CLANG_TIDY} --quiet -p ${lint_folder} ${unit} 2> ${stamp}.log
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${unit} ${files} ${lint_headers} ${PROJECT_SOURCE_DIR}/.clang-tidy
    COMMENT "clang-tidy ${name} and what follows it" VERBATIM)
  list(APPEND lint_stamps ${stamp})
endforeach()
list(JOIN units "\n" unit_list)
file(CONFIGURE OUTPUT ${lint_folder}/units.txt CONTENT "${unit_list}\n" @ONLY)

add_custom_target(lint_commands
  COMMAND ${DEBIAN_PYTHON} ${PROJECT_SOURCE_DIR}/tools/lint_commands.py
          ${PROJECT_BINARY_DIR}/compile_commands.json ${lint_folder})
add_custom_target(lint DEPENDS ${lint_stamps})
add_dependencies(lint lint_commands)
