# Finds what the library needs and gathers it in the target oloid::dependencies. Used by the build
# and, installed beside the package, by users of the static library. What is not there is listed in
# OLOID_MISSING; then the target does not exist.
#
# For the pkg-config file: OLOID_PC_REQUIRES and OLOID_PC_LIBS.
set(OLOID_MISSING)
find_package(PkgConfig QUIET)
if(NOT PkgConfig_FOUND)
  list(APPEND OLOID_MISSING "pkg-config")
else()
  pkg_check_modules(OLOID_YAML QUIET IMPORTED_TARGET yaml-0.1)
  # the plain name may mean the MPI flavour
  pkg_search_module(OLOID_HDF5 QUIET IMPORTED_TARGET hdf5-serial hdf5)
  pkg_check_modules(OLOID_ZLIB QUIET IMPORTED_TARGET zlib)
  pkg_check_modules(OLOID_LAPACKE QUIET IMPORTED_TARGET lapacke)
  pkg_check_modules(OLOID_OPENBLAS QUIET IMPORTED_TARGET openblas)
  pkg_check_modules(OLOID_ARPACK QUIET IMPORTED_TARGET arpack)
  foreach(library IN ITEMS YAML HDF5 ZLIB LAPACKE OPENBLAS ARPACK)
    if(NOT OLOID_${library}_FOUND)
      list(APPEND OLOID_MISSING ${library})
    endif()
  endforeach()
endif()

# Optional: Ipopt, for optimal control.
option(OLOID_IPOPT "Use Ipopt for optimal control, if it is installed" ON)
if(PkgConfig_FOUND AND OLOID_IPOPT)
  pkg_check_modules(OLOID_IPOPT_LIBRARY QUIET IMPORTED_TARGET ipopt)
  # its linear solver, for the inertia at optima
  find_path(OLOID_MUMPS_INCLUDE_DIR dmumps_c.h)
  find_library(OLOID_MUMPS_LIBRARY NAMES dmumps_seq)
  mark_as_advanced(OLOID_MUMPS_INCLUDE_DIR OLOID_MUMPS_LIBRARY)
  if(OLOID_IPOPT_LIBRARY_FOUND AND OLOID_MUMPS_INCLUDE_DIR AND OLOID_MUMPS_LIBRARY)
    set(OLOID_MUMPS_FOUND TRUE)
  endif()
endif()

# SuiteSparse has no pkg-config file before version 7.
find_path(OLOID_KLU_INCLUDE_DIR suitesparse/klu.h)
mark_as_advanced(OLOID_KLU_INCLUDE_DIR)
if(NOT OLOID_KLU_INCLUDE_DIR)
  list(APPEND OLOID_MISSING "suitesparse/klu.h")
endif()
set(OLOID_KLU_LIBRARIES)
foreach(library IN ITEMS klu btf colamd amd suitesparseconfig)
  find_library(OLOID_${library}_LIBRARY ${library})
  mark_as_advanced(OLOID_${library}_LIBRARY)
  if(NOT OLOID_${library}_LIBRARY)
    list(APPEND OLOID_MISSING "lib${library}")
  endif()
  list(APPEND OLOID_KLU_LIBRARIES "${OLOID_${library}_LIBRARY}")
endforeach()

set(OLOID_PC_REQUIRES "yaml-0.1 ${OLOID_HDF5_MODULE_NAME} zlib lapacke openblas arpack")
if(OLOID_IPOPT_LIBRARY_FOUND)
  string(APPEND OLOID_PC_REQUIRES " ipopt")
endif()
set(OLOID_PC_LIBS "-lklu -lbtf -lcolamd -lamd -lsuitesparseconfig -lm")

if(NOT OLOID_MISSING AND NOT TARGET oloid::dependencies)
  add_library(oloid::dependencies INTERFACE IMPORTED)
  target_include_directories(oloid::dependencies INTERFACE "${OLOID_KLU_INCLUDE_DIR}")
  target_link_libraries(oloid::dependencies INTERFACE
    PkgConfig::OLOID_YAML PkgConfig::OLOID_HDF5 PkgConfig::OLOID_ZLIB PkgConfig::OLOID_LAPACKE
    PkgConfig::OLOID_OPENBLAS PkgConfig::OLOID_ARPACK ${OLOID_KLU_LIBRARIES} m)
  if(OLOID_IPOPT_LIBRARY_FOUND)
    target_link_libraries(oloid::dependencies INTERFACE PkgConfig::OLOID_IPOPT_LIBRARY)
  endif()
  if(OLOID_MUMPS_FOUND)
    target_link_libraries(oloid::dependencies INTERFACE ${OLOID_MUMPS_LIBRARY})
  endif()
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(oloid::dependencies INTERFACE "LINKER:--as-needed")
  endif()
endif()
