# Points QuickJS's build at Debian's libsimde-dev instead of a download.
set(FETCHCONTENT_SOURCE_DIR_SIMDE /usr/include CACHE PATH "" FORCE)
