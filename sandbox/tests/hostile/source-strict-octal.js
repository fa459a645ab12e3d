// expect: syntax
'use strict'; 010;
