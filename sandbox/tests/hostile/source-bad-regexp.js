// expect: syntax, thrown
/(?<n>a)(?<n>b)[z-a]/u;
