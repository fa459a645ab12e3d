// expect: ok
// value: function
return typeof (@repeat(1000, "a=>") 1);
