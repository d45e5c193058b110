package progress

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// QuizAnswer is one question of a quiz, answered. Picked is the letter chosen,
// "" for none.
type QuizAnswer struct {
	Quiz    ID
	Card    string
	Topic   string
	Picked  string
	Correct bool
	At      time.Time
}

// QuizRun is a finished quiz.
type QuizRun struct {
	ID      ID
	Seed    int64
	Exam    bool
	Asked   int
	Correct int
	At      time.Time // its end
}

// RecallAttempt is one try at saying a talking point.
type RecallAttempt struct {
	Point     int
	Aloud     bool  // ticked by the speaker; otherwise typed and marked
	Found, Of int   // ideas
	Ideas     []int // the ideas found, by their number
	Wrong     []int // the wrong statements made, by their number
	Overruled []int // the ideas whose mark the speaker changed
	At        time.Time
}

// LabResult is what a lab run ended in.
type LabResult struct {
	Lab, Service, Store string
	Verdict             string // held, broken or unknown
	LateWrite           string // landed, fenced or none
	Predicted           string // what was expected; "" if nothing was asked
	Confidence          int    // 1 (a guess) to 3 (sure); 0 if nothing was asked
	At                  time.Time
}

// AddQuizAnswer saves an answer; it is on disk when it returns.
func (r *Record) AddQuizAnswer(ctx context.Context, a QuizAnswer) error {
	return r.insert(ctx, a.At, "save the quiz answer", `INSERT INTO quiz_answer
		(id, answered_ms, offset_min, day, quiz, card, topic, picked, correct) VALUES (?,?,?,?,?,?,?,?,?)`,
		NewID(), a.Quiz[:], a.Card, a.Topic, a.Picked, a.Correct)
}

// AddQuizRun saves the result of a quiz.
func (r *Record) AddQuizRun(ctx context.Context, q QuizRun) error {
	return r.insert(ctx, q.At, "save the quiz", `INSERT INTO quiz_run
		(id, ended_ms, offset_min, day, seed, exam, asked, correct) VALUES (?,?,?,?,?,?,?,?)`,
		q.ID, q.Seed, q.Exam, q.Asked, q.Correct)
}

// AddRecall saves a try at a talking point.
func (r *Record) AddRecall(ctx context.Context, a RecallAttempt) error {
	return r.insert(ctx, a.At, "save the attempt", `INSERT INTO recall
		(id, answered_ms, offset_min, day, point, aloud, found, of, ideas, wrong, overruled)
		VALUES (?,?,?,?,?,?,?,?,?,?,?)`, NewID(),
		a.Point, a.Aloud, a.Found, a.Of, numbers(a.Ideas), numbers(a.Wrong), numbers(a.Overruled))
}

// AddLab saves the result of a lab run.
func (r *Record) AddLab(ctx context.Context, l LabResult) error {
	return r.insert(ctx, l.At, "save the lab result", `INSERT INTO lab
		(id, answered_ms, offset_min, day, lab, service, store, verdict, late_write, predicted, confidence)
		VALUES (?,?,?,?,?,?,?,?,?,?,?)`, NewID(),
		l.Lab, l.Service, l.Store, l.Verdict, l.LateWrite, l.Predicted, l.Confidence)
}

// insert appends a row whose first columns are its id and the three that say
// when it was.
func (r *Record) insert(ctx context.Context, at time.Time, doing, query string, id ID, args ...any) error {
	when := []any{id[:], at.UnixMilli(), offsetMinutes(at), string(DayOf(at))}
	return r.write(ctx, at, doing, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, query, append(when, args...)...)
		return err
	})
}

// Recalls are all attempts at the talking points, oldest first.
func (r *Record) Recalls(ctx context.Context) ([]RecallAttempt, error) {
	return list(ctx, r, "read the attempts", `SELECT answered_ms, offset_min, point, aloud, found, of,
		ideas, wrong, overruled FROM recall ORDER BY seq`, func(rows *sql.Rows) (a RecallAttempt, err error) {
		var ms int64
		var offset int
		var ideas, wrong, overruled string
		err = rows.Scan(&ms, &offset, &a.Point, &a.Aloud, &a.Found, &a.Of, &ideas, &wrong, &overruled)
		a.At = inOffset(ms, offset)
		a.Ideas, a.Wrong, a.Overruled = fromNumbers(ideas), fromNumbers(wrong), fromNumbers(overruled)
		return a, err
	})
}

// Labs are all lab results, oldest first.
func (r *Record) Labs(ctx context.Context) ([]LabResult, error) {
	return list(ctx, r, "read the lab results", `SELECT answered_ms, offset_min, lab, service, store,
		verdict, late_write, predicted, confidence FROM lab ORDER BY seq`, func(rows *sql.Rows) (l LabResult, err error) {
		var ms int64
		var offset int
		err = rows.Scan(&ms, &offset, &l.Lab, &l.Service, &l.Store, &l.Verdict, &l.LateWrite, &l.Predicted, &l.Confidence)
		l.At = inOffset(ms, offset)
		return l, err
	})
}

// Tally counts answers.
type Tally struct{ Asked, Right int }

// QuizByTopic counts the quiz answers of each topic.
func (r *Record) QuizByTopic(ctx context.Context) (map[string]Tally, error) {
	type row struct {
		topic string
		Tally
	}
	rows, err := list(ctx, r, "read the quiz answers", `SELECT topic, count(*), sum(correct) FROM quiz_answer
		GROUP BY topic`, func(rows *sql.Rows) (t row, err error) {
		err = rows.Scan(&t.topic, &t.Asked, &t.Right)
		return t, err
	})
	out := make(map[string]Tally, len(rows))
	for _, t := range rows {
		out[t.topic] = t.Tally
	}
	return out, err
}

// DayTotal is what was reviewed on one study day, without what was undone.
type DayTotal struct {
	Day     Day
	Reviews int
	Right   int // graded hard or better
	Took    time.Duration
}

// Days are the days with reviews, oldest first.
func (r *Record) Days(ctx context.Context) ([]DayTotal, error) {
	return list(ctx, r, "read the reviews", `SELECT day, sum(sign), sum(sign * (grade > 1)), sum(sign * took_ms)
		FROM review GROUP BY day HAVING sum(sign) > 0 ORDER BY day`, func(rows *sql.Rows) (d DayTotal, err error) {
		var took int64
		err = rows.Scan(&d.Day, &d.Reviews, &d.Right, &took)
		d.Took = time.Duration(took) * time.Millisecond
		return d, err
	})
}

// list reads rows; none is an empty list.
func list[T any](ctx context.Context, r *Record, doing, query string, scan func(*sql.Rows) (T, error)) ([]T, error) {
	out := []T{}
	db, err := r.reader(ctx)
	if err != nil {
		return out, err
	}
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return out, r.explain(doing, err)
	}
	defer rows.Close()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return out, r.explain(doing, err)
		}
		out = append(out, one)
	}
	return out, r.explain(doing, rows.Err())
}

// numbers is a list as JSON, [] for none.
func numbers(list []int) string {
	if len(list) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(list) // integers always marshal
	return string(b)
}

func fromNumbers(s string) []int {
	out := []int{}
	_ = json.Unmarshal([]byte(s), &out) // the column holds what numbers wrote
	return out
}

// How many of the latest answers say how long one takes, and how many it needs.
const (
	paceOf   = 200
	paceFrom = 5
)

// Pace is the median time from a question to its grade in the latest answers; 0
// if there are too few to tell.
func (r *Record) Pace(ctx context.Context) (time.Duration, error) {
	took, err := list(ctx, r, "read the answer times", fmt.Sprintf(`SELECT took_ms FROM review
		WHERE sign > 0 ORDER BY seq DESC LIMIT %d`, paceOf), func(rows *sql.Rows) (ms int64, err error) {
		err = rows.Scan(&ms)
		return ms, err
	})
	if err != nil || len(took) < paceFrom {
		return 0, err
	}
	slices.Sort(took)
	return time.Duration(took[len(took)/2]) * time.Millisecond, nil
}
