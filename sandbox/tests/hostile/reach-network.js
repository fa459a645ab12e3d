// expect: ok
// value: undefined undefined undefined undefined undefined
return [typeof fetch, typeof WebSocket, typeof XMLHttpRequest, typeof EventSource, typeof navigator].join(' ');
