# Makes QuickJS's build use the system's SIMDe (Debian's libsimde-dev, Homebrew's simde) instead of downloading it.
foreach(folder /usr/include /usr/local/include /opt/homebrew/include)
  if(EXISTS "${folder}/simde/x86/sse2.h")
    set(FETCHCONTENT_SOURCE_DIR_SIMDE "${folder}" CACHE PATH "" FORCE)
    break()
  endif()
endforeach()
