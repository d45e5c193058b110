package progress

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// exportSchema numbers the form of the exported document.
const exportSchema = 1

// exported are the lists of the document. Times are RFC 3339 in the local time
// they were written in; a review with "undoes" takes the one of that id back.
var exported = []struct{ name, query string }{
	{"reviews", `SELECT id, undoes, card, grade, took_ms, day, shown_ms AS shown, answered_ms AS answered, offset_min
		FROM review ORDER BY seq`},
	{"quiz_answers", `SELECT id, quiz, card, topic, picked, correct = 1 AS correct, day, answered_ms AS answered, offset_min
		FROM quiz_answer ORDER BY seq`},
	{"quizzes", `SELECT id, seed, exam, asked, correct AS "right", day, ended_ms AS ended, offset_min
		FROM quiz_run ORDER BY seq`},
	{"recalls", `SELECT id, point, aloud, found, of, ideas, wrong, overruled, day, answered_ms AS answered, offset_min
		FROM recall ORDER BY seq`},
	{"labs", `SELECT id, lab, service, store, verdict, late_write, predicted, confidence, day, answered_ms AS answered, offset_min
		FROM lab ORDER BY seq`},
}

// Export writes the whole log as one JSON document, row by row, so that its
// size does not matter. All of it is of one moment.
func (r *Record) Export(ctx context.Context, w io.Writer) error {
	db, err := r.reader(ctx)
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return r.explain("export the record", err)
	}
	out := bufio.NewWriter(w)
	err = exportLists(ctx, tx, out)
	_ = tx.Rollback() // it only read
	if err != nil {
		return r.explain("export the record", err)
	}
	return out.Flush() // the first failed write is remembered and returned here
}

func exportLists(ctx context.Context, tx *sql.Tx, out *bufio.Writer) error {
	fmt.Fprintf(out, "{\"schema\":%d", exportSchema)
	for _, l := range exported {
		fmt.Fprintf(out, ",\n%q:[", l.name)
		if err := exportRows(ctx, tx, out, l.query); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		fmt.Fprint(out, "]")
	}
	fmt.Fprintln(out, "}")
	return nil
}

func exportRows(ctx context.Context, tx *sql.Tx, out *bufio.Writer, query string) error {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for first := true; rows.Next(); first = false {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		text, err := json.Marshal(exportRow(columns, values))
		if err != nil {
			return err
		}
		if !first {
			fmt.Fprint(out, ",")
		}
		fmt.Fprintf(out, "\n%s", text)
	}
	return rows.Err()
}

// exportRow is a row by column name, each value in the form the document has.
func exportRow(columns []string, values []any) map[string]any {
	row := make(map[string]any, len(columns))
	offset, _ := values[len(values)-1].(int64) // offset_min comes last in every query
	for i, name := range columns[:len(columns)-1] {
		row[name] = exportValue(name, values[i], int(offset))
	}
	return row
}

func exportValue(name string, v any, offset int) any {
	switch name {
	case "id", "undoes", "quiz":
		if b, ok := v.([]byte); ok {
			return hex.EncodeToString(b)
		}
		return nil
	case "shown", "answered", "ended":
		ms, _ := v.(int64)
		return inOffset(ms, offset).Format(time.RFC3339Nano)
	case "aloud", "exam", "correct":
		return v == int64(1)
	case "ideas", "wrong", "overruled":
		s, _ := v.(string)
		return fromNumbers(s)
	}
	return v
}
