# Points QuickJS's build at the SIMDe that the system has, instead of a download: Debian's libsimde-dev, Homebrew's simde.
foreach(folder /usr/include /usr/local/include /opt/homebrew/include)
  if(EXISTS "${folder}/simde/x86/sse2.h")
    set(FETCHCONTENT_SOURCE_DIR_SIMDE "${folder}" CACHE PATH "" FORCE)
    break()
  endif()
endforeach()
