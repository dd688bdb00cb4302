# Installs the library into a scratch folder, then configures, builds and runs the consumer.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGV}: ${status}\n${output}")
  endif()
endfunction()

set(scratch ${BUILD}/consumer)
file(REMOVE_RECURSE ${scratch})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/installed)
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE}/tests/consumer -B ${scratch}/build
  -DCMAKE_PREFIX_PATH=${scratch}/installed -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${scratch}/build)
run(${scratch}/build/consumer)
