// expect: ok, timed_out
// why: the text of an unhandled rejection is created after the cell
Promise.reject({ get message() { for (;;) {} } }) && void 0;
