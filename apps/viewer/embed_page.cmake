cmake_minimum_required(VERSION 3.25)
# cmake -D FOLDER=dist -D OUT=page_contents.cpp -P embed_page.cmake
# Writes a source file that holds all files of a folder.
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*)
list(FILTER files INCLUDE REGEX "^[A-Za-z0-9._-]+$")
if(NOT "index.html" IN_LIST files)
  message(FATAL_ERROR "${FOLDER} holds no index.html: the page was not built")
endif()

set(labels "")
set(declarations "")
set(entries "")
set(number 0)
foreach(file IN LISTS files)
  file(SHA256 ${FOLDER}/${file} hash)
  string(APPEND labels "    // ${hash}\n    \"stickslip_page_${number}:\\n\"\n"
    "    \".incbin \\\"${FOLDER}/${file}\\\"\\n\"\n    \"stickslip_page_${number}_end:\\n\"\n    \".byte 0\\n\"\n")
  string(APPEND declarations
    "extern const char stickslip_page_${number}[];\nextern const char stickslip_page_${number}_end[];\n")
  string(APPEND entries
    "      {\"${file}\", {stickslip_page_${number}, static_cast<std::size_t>(stickslip_page_${number}_end - stickslip_page_${number})}},\n")
  math(EXPR number "${number} + 1")
endforeach()

file(WRITE ${OUT} "// made by embed_page.cmake
#include <array>
#include <cstddef>

#include \"apps/viewer/page_files.hpp\"

asm(\".section .rodata\\n\"
${labels}    \".previous\\n\");

extern \"C\" {
${declarations}}

namespace stickslip::viewer {

std::span<const PageFile> page_files() {
  static const std::array<PageFile, ${number}> files = {{
${entries}  }};
  return files;
}

}  // namespace stickslip::viewer
")
