# What Debian's policy asks of a package and an installation does without. CPack runs this where it has put the files.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of $SOURCE_DATE_EPOCH where that is set
file(WRITE ${share}/doc/memtest/changelog
  "memtest (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n  * What changed is in the history of the sources.\n\n"
  " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")

file(GLOB pages ${share}/man/man*/*)
execute_process(COMMAND gzip -9n ${share}/doc/memtest/changelog ${pages} COMMAND_ERROR_IS_FATAL ANY)
