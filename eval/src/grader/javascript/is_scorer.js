return(typeof score === "undefined" ? "not there" : typeof score === "function" ? "function" : "no function");
