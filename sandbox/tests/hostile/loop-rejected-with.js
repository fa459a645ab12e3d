// expect: ok, timed_out
// why: the text of a floating rejection is made after the cell
Promise.reject({ get message() { for (;;) {} } }) && void 0;
