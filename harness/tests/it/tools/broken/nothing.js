const forgotten = 1;
