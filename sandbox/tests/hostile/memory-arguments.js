// expect: memory, thrown, timed_out
(function grow(...all) { return grow(...all, ...all, 1); })(1);
