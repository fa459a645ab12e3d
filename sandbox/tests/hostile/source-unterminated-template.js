// expect: syntax
`never closed ${1
