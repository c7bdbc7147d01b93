# Bundles viewer/, TypeScript and styles, into one script and one style sheet, and these into a C
# file that defines olo_page_bundle_built (src/results/page.h):
#     cmake -DVIEWER= -DOUTPUT= -P page_bundle.cmake
#
# The packages are those of viewer/package-lock.json. What `npm ci` has not installed is fetched
# from the registry (npm_config_registry names another one) and checked against the hashes of that
# file; neither npm nor Node.js is needed.
cmake_minimum_required(VERSION 3.21)

# Bytes as hexadecimal digits in base64, as hashes are written in lock files and security policies.
function(base64_of hex result)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(LENGTH "${hex}" length)
  math(EXPR padding "(6 - ${length} % 6) % 6 / 2")
  string(APPEND hex "0000")
  set(text)
  foreach(at RANGE 0 ${length} 6)
    if(at LESS length)
      string(SUBSTRING "${hex}" ${at} 6 bytes)
      foreach(shift IN ITEMS 18 12 6 0)
        math(EXPR index "(0x${bytes} >> ${shift}) & 63")
        string(SUBSTRING "${alphabet}" ${index} 1 letter)
        string(APPEND text "${letter}")
      endforeach()
    endif()
  endforeach()
  string(LENGTH "${text}" length)
  math(EXPR length "${length} - ${padding}")
  string(SUBSTRING "${text}" 0 ${length} text)
  string(SUBSTRING "==" 0 ${padding} equals)
  set(${result} "${text}${equals}" PARENT_SCOPE)
endfunction()

# Puts a package of the lock file into viewer/node_modules, if it is not there.
function(provide package)
  file(READ "${VIEWER}/package-lock.json" lock)
  string(JSON version ERROR_VARIABLE missing
         GET "${lock}" packages "node_modules/${package}" version)
  if(missing)
    message(FATAL_ERROR "${package}: there is no such package for this system")
  endif()
  string(JSON integrity GET "${lock}" packages "node_modules/${package}" integrity)
  set(folder "${VIEWER}/node_modules/${package}")
  if(EXISTS "${folder}/package.json")
    file(READ "${folder}/package.json" installed)
    string(JSON installed ERROR_VARIABLE missing GET "${installed}" version)
    if(installed STREQUAL version)
      return()
    endif()
  endif()

  set(registry "https://registry.npmjs.org")
  if(DEFINED ENV{npm_config_registry})
    string(REGEX REPLACE "/$" "" registry "$ENV{npm_config_registry}")
  endif()
  get_filename_component(name "${package}" NAME)
  set(url "${registry}/${package}/-/${name}-${version}.tgz")
  string(RANDOM LENGTH 8 unique)
  set(fetched "${VIEWER}/node_modules/.fetched-${unique}")
  file(DOWNLOAD "${url}" "${fetched}/archive.tgz" STATUS status INACTIVITY_TIMEOUT 30)
  list(GET status 0 failed)
  if(NOT failed)
    file(SHA512 "${fetched}/archive.tgz" hash)
    base64_of("${hash}" hash)
    if("sha512-${hash}" STREQUAL integrity)
      file(ARCHIVE_EXTRACT INPUT "${fetched}/archive.tgz" DESTINATION "${fetched}")
      file(REMOVE_RECURSE "${folder}")
      get_filename_component(parent "${folder}" DIRECTORY)
      file(MAKE_DIRECTORY "${parent}")
      file(RENAME "${fetched}/package" "${folder}" RESULT ignored) # another build may be first
    else()
      set(status "its hash is not that of package-lock.json")
      set(failed TRUE)
    endif()
  endif()
  file(REMOVE_RECURSE "${fetched}")
  if(failed)
    message(FATAL_ERROR "${url}: ${status}")
  endif()
endfunction()

# A file as an array of string literals, of a length that every compiler takes.
function(literals name path result)
  file(READ "${path}" text)
  if(text MATCHES "[^\t\n -~]")
    message(FATAL_ERROR "${path}: has letters that are not ASCII")
  endif()
  string(LENGTH "${text}" length)
  set(lines)
  foreach(at RANGE 0 ${length} 2000)
    if(at LESS length)
      string(SUBSTRING "${text}" ${at} 2000 piece)
      string(REGEX REPLACE "[\\\\\"?]" "\\\\\\0" piece "${piece}")
      string(REPLACE "\n" "\\n" piece "${piece}")
      string(REPLACE "\t" "\\t" piece "${piece}")
      string(APPEND lines "    \"${piece}\",\n")
    endif()
  endforeach()
  set(${result} "static const char *const ${name}[] = {\n${lines}    NULL};\n" PARENT_SCOPE)
endfunction()

# The bundler is one program, in a package of its own for each kind of machine.
cmake_host_system_information(RESULT machine QUERY OS_PLATFORM)
string(TOLOWER "${CMAKE_HOST_SYSTEM_NAME}-${machine}" machine)
string(REGEX REPLACE "-(x86_64|amd64)$" "-x64" machine "${machine}")
string(REGEX REPLACE "-aarch64$" "-arm64" machine "${machine}")
provide(three)
provide(uplot)
provide("@esbuild/${machine}")

set(bundle "${OUTPUT}.bundle")
set(notice "three.js, (c) 2010-2026 three.js authors, MIT; uPlot, (c) 2026 Leon Sorokin, MIT")
execute_process(
  COMMAND "${VIEWER}/node_modules/@esbuild/${machine}/bin/esbuild" src/main.ts --bundle --minify
          "--outdir=${bundle}" --target=es2021 --charset=ascii --legal-comments=none
          --log-level=warning "--banner:js=/*! ${notice} */"
  WORKING_DIRECTORY "${VIEWER}" RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "esbuild: ${result}")
endif()
foreach(file IN ITEMS main.js main.css)
  file(STRINGS "${bundle}/${file}" ends REGEX "</script|<!--|</style")
  if(ends)
    message(FATAL_ERROR "${file} would end its own element")
  endif()
endforeach()

literals(style "${bundle}/main.css" style)
literals(script "${bundle}/main.js" script)
file(SIZE "${bundle}/main.css" style_size)
file(SIZE "${bundle}/main.js" script_size)
math(EXPR size "${style_size} + ${script_size}")
file(SHA256 "${bundle}/main.js" hash)
base64_of("${hash}" hash)
file(REMOVE_RECURSE "${bundle}")
file(WRITE "${OUTPUT}" "/* The page of reports, made from viewer/ by cmake/page_bundle.cmake. */
#include \"results/page.h\"

${style}
${script}
const olo_page_bundle olo_page_bundle_built = {
    .style = style, .script = script, .script_hash = \"${hash}\", .size = ${size}};
")
