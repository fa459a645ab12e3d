// expect: ok, thrown, never_settles, syntax
const found = await Promise.any(['ext:core/ops', 'ext:core/mod.js', 'node:fs', 'file:///etc/passwd', 'data:text/javascript,export default 7', 'https://example.com/x.js'].map((name) => new Function('name', 'return import(name)')(name)));
return Object.keys(found);
