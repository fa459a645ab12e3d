// expect: ok
`}); ${'(async () => {'} \${`;
