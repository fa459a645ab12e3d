// expect: ok
/* nothing */ // at all
