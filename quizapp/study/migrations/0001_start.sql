-- The log is the truth: what was answered, taken back and called easy, in order, for ever.
CREATE TABLE review (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    id             TEXT NOT NULL UNIQUE,  -- made by the client, so that a retry is recognised
    event          TEXT NOT NULL CHECK (event IN ('answer', 'undo', 'easy')),
    refers         TEXT REFERENCES review (id),  -- the row undone, or the answer called easy
    utc            TEXT NOT NULL,     -- ISO 8601 with microseconds
    offset_minutes INTEGER NOT NULL,  -- local time minus UTC
    local_date     TEXT NOT NULL,
    study_day      TEXT NOT NULL,
    question       TEXT,              -- bank/question
    kind           TEXT,
    answer         TEXT CHECK (answer IS NULL OR json_valid(answer)),
    verdict        TEXT CHECK (verdict IN ('right', 'wrong', 'partial', 'unrated')),
    rating         INTEGER CHECK (rating BETWEEN 1 AND 4),
    hints          INTEGER CHECK (hints >= 0),
    confidence     TEXT CHECK (confidence IN ('guess', 'fairly', 'certain')),
    meaning        TEXT,              -- hash: another one asks again
    wording        TEXT,              -- hash: another one keeps the history
    seed           INTEGER,
    parameters     TEXT CHECK (parameters IS NULL OR json_valid(parameters)),
    device         TEXT,
    metrics        TEXT CHECK (metrics IS NULL OR json_valid(metrics)),
    scheduler      TEXT CHECK (scheduler IS NULL OR json_valid(scheduler)),
    duration_ms    INTEGER CHECK (duration_ms >= 0),
    CHECK ((event = 'answer') = (refers IS NULL)),
    CHECK (event <> 'answer' OR (
        question IS NOT NULL AND kind IS NOT NULL AND answer IS NOT NULL AND verdict IS NOT NULL
        AND hints IS NOT NULL AND meaning IS NOT NULL AND wording IS NOT NULL
        AND (verdict = 'unrated') = (rating IS NULL) AND (rating IS NULL) = (scheduler IS NULL)
    )),
    CHECK (event = 'answer' OR coalesce(
        question, kind, answer, verdict, rating, hints, confidence, meaning, wording,
        seed, parameters, device, metrics, scheduler, duration_ms) IS NULL)
) STRICT;

CREATE INDEX review_by_question ON review (question, seq) WHERE event = 'answer';
CREATE INDEX review_by_refers ON review (refers, event) WHERE refers IS NOT NULL;
CREATE UNIQUE INDEX review_undone_once ON review (refers) WHERE event = 'undo';

CREATE TRIGGER review_no_update BEFORE UPDATE ON review
BEGIN
    SELECT RAISE(ABORT, 'the review log is append-only');
END;

CREATE TRIGGER review_no_delete BEFORE DELETE ON review
BEGIN
    SELECT RAISE(ABORT, 'the review log is append-only');
END;

-- INSERT OR REPLACE would delete without firing the trigger above.
CREATE TRIGGER review_no_replace BEFORE INSERT ON review
WHEN EXISTS (SELECT 1 FROM review WHERE id = NEW.id OR seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'the review log is append-only');
END;

CREATE TRIGGER review_easy_refers_to_answer BEFORE INSERT ON review
WHEN NEW.event = 'easy'
    AND NOT EXISTS (SELECT 1 FROM review WHERE id = NEW.refers AND event = 'answer')
BEGIN
    SELECT RAISE(ABORT, 'only an answer can be called easy');
END;

CREATE TRIGGER review_undo_refers_to_act BEFORE INSERT ON review
WHEN NEW.event = 'undo'
    AND NOT EXISTS (SELECT 1 FROM review WHERE id = NEW.refers AND event <> 'undo')
BEGIN
    SELECT RAISE(ABORT, 'only an answer or an easy can be undone');
END;

-- Answers and easies that were not taken back.
CREATE VIEW standing AS
SELECT act.* FROM review AS act
WHERE act.event <> 'undo' AND NOT EXISTS (
    SELECT 1 FROM review AS undo WHERE undo.refers = act.id AND undo.event = 'undo'
);

-- Follows from the log; written in the same transaction, and can be rebuilt.
CREATE TABLE card (
    question   TEXT PRIMARY KEY,
    meaning    TEXT NOT NULL,
    stability  REAL NOT NULL CHECK (stability > 0),
    difficulty REAL NOT NULL CHECK (difficulty BETWEEN 1 AND 10),
    due        TEXT NOT NULL,  -- study day
    last_day   TEXT NOT NULL,  -- study day
    rating     INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 4),
    reviews    INTEGER NOT NULL CHECK (reviews > 0),
    lapses     INTEGER NOT NULL CHECK (lapses >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE daily (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    study_day TEXT NOT NULL,
    question  TEXT NOT NULL,
    set_hash  TEXT NOT NULL,
    UNIQUE (study_day, question)
) STRICT;

CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
