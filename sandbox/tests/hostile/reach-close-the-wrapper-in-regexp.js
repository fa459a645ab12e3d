// expect: syntax, thrown, ok
let re = /[/]}); (async () => {/;
