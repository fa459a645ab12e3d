// Binds the host's functions for the library: ops, clock, text codecs and object inspection.
(internals) => {
  'use strict';
  const ops = internals.native;
  /** Returns a text for the host, with each lone surrogate replaced by U+FFFD. */
  const wellFormed = Function.prototype.call.bind(String.prototype.toWellFormed);
  internals.wellFormed = wellFormed;
  internals.ops = {
    __proto__: null,
    budget: ops.op_repl_budget,
    call: (agent, kind, query, options, type, length) =>
      ops.op_repl_call(agent, kind, wellFormed(query), options, type, length),
    callFunction: (agent, name, json) => ops.op_repl_call_function(agent, name, wellFormed(json)),
    callStatus: ops.op_repl_call_status,
    cancelCall: ops.op_repl_cancel_call,
    followCall: ops.op_repl_follow_call,
    cancelTimer: ops.op_repl_cancel_timer,
    done: (agent, cell, status, body, stack, unawaited, functions) =>
      ops.op_repl_done(agent, cell, status, wellFormed(body), wellFormed(stack), unawaited, functions),
    nextPiece: ops.op_repl_next_piece,
    startTimer: ops.op_repl_start_timer,
    unmark: (source) => ops.op_repl_unmark(wellFormed(source)),
    write: (agent, line, hidden) => ops.op_repl_write(agent, wellFormed(line), hidden),
  };
  internals.now = ops.op_repl_now;
  internals.timeOrigin = ops.op_repl_time_origin;
  internals.parseUrl = (href, base) => ops.op_repl_parse_url(href, base ?? '', base !== undefined);
  internals.setUrlPart = ops.op_repl_set_url_part;
  internals.utf8Encode = ops.op_repl_utf8_encode;
  internals.hash = ops.op_repl_hash;
  internals.random = ops.op_repl_random;
  internals.base64Encode = ops.op_repl_base64_encode;
  internals.base64Decode = (text) => ops.op_repl_base64_decode(wellFormed(text));
  internals.atob = (text) => ops.op_repl_atob(wellFormed(text));
  internals.btoa = (text) => ops.op_repl_btoa(wellFormed(text));
  internals.percentDecode = (text) => ops.op_repl_percent_decode(wellFormed(text));
  internals.formEncode = ops.op_repl_form_encode;
  const states = ['pending', 'fulfilled', 'rejected'];
  Object.setPrototypeOf(states, null);
  internals.promiseState = (value) => states[ops.op_repl_promise_state(value)];
  internals.promiseResult = ops.op_repl_promise_result;
  internals.isErrorObject = ops.op_repl_is_error;
  internals.isProxy = ops.op_repl_is_proxy;
  internals.proxyTarget = (proxy) => [ops.op_repl_proxy_part(proxy, false), ops.op_repl_proxy_part(proxy, true)];
  internals.previewEntries = (value) => {
    const entries = ops.op_repl_preview_entries(value);
    return entries === undefined ? undefined : [entries, ops.op_repl_gives_pairs(value)];
  };
  internals.utf8Decode = ops.op_repl_utf8_decode;
};
