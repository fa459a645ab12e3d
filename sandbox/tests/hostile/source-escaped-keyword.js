// expect: syntax
l\u0065t x = 1; v\u0061r y; \u0069f (1) 2;
