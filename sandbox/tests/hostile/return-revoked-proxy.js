// expect: thrown
// error: TypeError
const { proxy, revoke } = Proxy.revocable({}, {});
revoke();
return proxy;
