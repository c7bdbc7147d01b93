# The page of reports as a C file:
#     cmake -DVIEWER= -DOUTPUT= -DEMPTY= -P page.cmake
#
# When it cannot be bundled (no network, a source folder that cannot be written) the build continues
# without the page, and tries again the next time.
execute_process(
  COMMAND "${CMAKE_COMMAND}" "-DVIEWER=${VIEWER}" "-DOUTPUT=${OUTPUT}"
          -P "${CMAKE_CURRENT_LIST_DIR}/page_bundle.cmake"
  RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
if(NOT result EQUAL 0)
  file(COPY_FILE "${EMPTY}" "${OUTPUT}")
  execute_process(COMMAND touch -t 200001010000 "${OUTPUT}")
  message(WARNING "The page of reports was not bundled, reports will have no animation:\n${text}")
endif()
