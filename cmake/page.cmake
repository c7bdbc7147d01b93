# Bundles the page of reports into a C file:
#     cmake -DNODE= -DNPM= -DVIEWER= -DOUTPUT= -DEMPTY= -P page.cmake
#
# Packages are installed into viewer/node_modules when they are not those of the lock file; those of
# the tests stay if they are there. When that is not possible (no network, a source folder that
# cannot be written) the build continues without the page, and tries again the next time.

function(try what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${VIEWER}"
                  RESULT_VARIABLE result OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT result EQUAL 0)
    file(COPY_FILE "${EMPTY}" "${OUTPUT}")
    execute_process(COMMAND touch -t 200001010000 "${OUTPUT}")
    message(WARNING "${what} failed, reports will have no animation:\n${text}")
    set(failed TRUE PARENT_SCOPE)
  endif()
endfunction()

set(failed FALSE)
set(installed "${VIEWER}/node_modules/.installed-lock.json")
execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files
                        "${VIEWER}/package-lock.json" "${installed}"
                RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
if(differs)
  set(omit --omit=dev)
  if(EXISTS "${VIEWER}/node_modules/typescript")
    set(omit)
  endif()
  try("npm ci" "${NPM}" ci ${omit} --ignore-scripts --no-audit --no-fund --loglevel=error)
  if(NOT failed)
    file(COPY_FILE "${VIEWER}/package-lock.json" "${installed}")
  endif()
endif()
if(NOT failed)
  try("bundling viewer/" "${NODE}" build.mjs "${OUTPUT}")
endif()
