# What Debian's policy asks of a package and an installation does without. CPack runs this where it has put the files.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()

# Without these CPack makes a package that names no libraries, so that the installed program may not start.
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
find_program(FILE file)
if(NOT DPKG_SHLIBDEPS OR NOT FILE)
  message(FATAL_ERROR "cpack -G DEB needs dpkg-shlibdeps and file: install dpkg-dev and file")
endif()

set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)

# Debian's form of the changelog: `## VERSION, DATE` begins a version, `- ` an entry, and two blanks continue it.
file(STRINGS ${CPACK_MEMTEST_CHANGELOG} lines)
set(changelog)
set(signature)
foreach(line IN LISTS lines)
  if(line MATCHES "^## ([^,]+), (.+)$")
    execute_process(COMMAND date -u -R -d "${CMAKE_MATCH_2}" OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
      COMMAND_ERROR_IS_FATAL ANY)
    string(APPEND changelog "${signature}memtest (${CMAKE_MATCH_1}) unstable; urgency=medium\n\n")
    set(signature "\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n\n")
  elseif(signature AND line MATCHES "^- (.+)$")
    string(APPEND changelog "  * ${CMAKE_MATCH_1}\n")
  elseif(signature AND line MATCHES "^  (.+)$")
    string(APPEND changelog "    ${CMAKE_MATCH_1}\n")
  endif()
endforeach()
file(WRITE ${share}/doc/memtest/changelog "${changelog}${signature}")

file(GLOB pages ${share}/man/man*/*)
execute_process(COMMAND gzip -9n ${share}/doc/memtest/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
