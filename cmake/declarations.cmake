# The declarations of the public headers as a text inside the library, olo_declarations(): what a
# language that binds to C at run time needs, and what can never differ from the library itself. The
# preprocessor makes it, with empty headers in cmake/declarations instead of the system's.
#
# As a script (-DINPUT=... -DOUTPUT=...): turns the preprocessed text into a C source.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${INPUT}" text)
  string(REGEX REPLACE "[\\\\\"]" "\\\\\\0" text "${text}")
  string(REGEX REPLACE "[ \t\r]*\n" "\\\\n\"\n    \"" text "${text}")
  file(WRITE "${OUTPUT}" "/* Generated from include/oloid by cmake/declarations.cmake. */\n"
                         "#include \"base/declarations.h\"\n\n"
                         "const char olo_declarations_text[] =\n    \"${text}\";\n")
  return()
endif()

# Sets OLOID_DECLARATIONS to the source to be compiled.
set(OLOID_DECLARATIONS "${PROJECT_BINARY_DIR}/declarations.c")
set(declarations_text "${PROJECT_BINARY_DIR}/declarations.txt")
file(GLOB declared_in CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/oloid/*")
add_custom_command(OUTPUT "${OLOID_DECLARATIONS}"
  COMMAND ${CMAKE_C_COMPILER} -E -P -nostdinc -U__GNUC__
          "-I${PROJECT_SOURCE_DIR}/cmake/declarations" "-I${PROJECT_SOURCE_DIR}/include"
          "-I${PROJECT_BINARY_DIR}/include" "${PROJECT_SOURCE_DIR}/include/oloid/oloid.h"
          -o "${declarations_text}"
  COMMAND ${CMAKE_COMMAND} "-DINPUT=${declarations_text}" "-DOUTPUT=${OLOID_DECLARATIONS}"
          -P "${PROJECT_SOURCE_DIR}/cmake/declarations.cmake"
  DEPENDS ${declared_in} "${PROJECT_BINARY_DIR}/include/oloid/version.h"
          "${PROJECT_SOURCE_DIR}/cmake/declarations.cmake"
  COMMENT "Collecting the public declarations"
  VERBATIM)
