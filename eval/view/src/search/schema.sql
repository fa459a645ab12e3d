-- Words and where they stand. Texts are in the trajectories.
CREATE TABLE run (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
CREATE TABLE file (
    row INTEGER PRIMARY KEY, run INTEGER NOT NULL, name TEXT, sample TEXT NOT NULL, attempt INTEGER NOT NULL,
    bytes INTEGER NOT NULL, modified INTEGER NOT NULL, digest TEXT NOT NULL, texts INTEGER NOT NULL, reading TEXT NOT NULL, UNIQUE (run, name)
);
CREATE TABLE place (
    row INTEGER PRIMARY KEY, offset INTEGER NOT NULL, length INTEGER NOT NULL, iteration INTEGER NOT NULL, kind INTEGER NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5 (text, content = '', detail = none, columnsize = 0, tokenize = 'ascii');
INSERT INTO words (words, rank) VALUES ('hashsize', 33554432);
