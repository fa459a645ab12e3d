console.log('\u001b[2J\u001b]0;title\u0007moved', 'tab\there\r\nnext line\u009b');
throw new Error('red \u001b[31m\nsecond line');
return('\u001b[31mred');
