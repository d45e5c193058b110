package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"lockdrill/drills/progress"
)

// someDays is a record of a few days of study.
func someDays(t *testing.T, r *progress.Record) {
	t.Helper()
	ctx := t.Context()
	var errs []error
	add := func(err error) { errs = append(errs, err) }
	for i, c := range []struct {
		card  string
		grade progress.Grade
	}{{"delete", progress.Good}, {"sentence", progress.Easy}, {"pause-order", progress.Again}, {"who", progress.Hard}} {
		for day := range 2 {
			_, err := r.Answer(ctx, progress.Answer{Card: "leases/" + c.card, Grade: c.grade,
				At: noon.AddDate(0, 0, 2*day-4).Add(time.Duration(i) * time.Minute), Took: 20 * time.Second})
			add(err)
		}
	}
	at := noon.AddDate(0, 0, -1)
	add(r.AddRecall(ctx, progress.RecallAttempt{Point: 1, Found: 4, Of: 4, Ideas: []int{1, 2, 3, 4}, At: at}))
	add(r.AddRecall(ctx, progress.RecallAttempt{Point: 2, Found: 3, Of: 4, Ideas: []int{1, 2, 3}, At: at}))
	add(r.AddRecall(ctx, progress.RecallAttempt{Point: 3, Found: 2, Of: 5, Ideas: []int{1, 2}, At: at}))
	for i := range 4 {
		add(r.AddQuizAnswer(ctx, progress.QuizAnswer{Topic: "redis-missed-cases", Card: "leases/who", Correct: i == 0, At: at}))
	}
	add(r.AddLab(ctx, progress.LabResult{Lab: "pause", Service: "redis", Store: "unfenced", Verdict: "broken", LateWrite: "landed", At: at}))
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestHome(t *testing.T) {
	drive(t, nil, New, func(d *driver) {
		goldenScreen(t, "home-first", d.app)
		d.press("?")
		goldenScreen(t, "home-keys", d.app)
	})
	drive(t, someDays, New, func(d *driver) {
		goldenScreen(t, "home", d.app)
		d.press("down", "down", "down")
		goldenScreen(t, "home-chosen", d.app)
		d.press("esc")
		if s := d.screen(); strings.Contains(s, "▸") || d.over {
			t.Errorf("esc does not let go of what is chosen:\n%s", s)
		}
		d.press("q")
		if !d.over || d.app.Err() != nil {
			t.Errorf("q: over %v, %v", d.over, d.app.Err())
		}
	})
}

// Each door opens its screen, and esc comes back.
func TestDoors(t *testing.T) {
	for key, title := range map[string]string{"d": "drill ", "p": "points", "z": "quiz", "i": "tonight", "s": "stats", "l": "labs", "enter": "drill "} {
		drive(t, someDays, New, func(d *driver) {
			d.press(key)
			if got, _ := d.app.top().title(); !strings.HasPrefix(got, title) {
				t.Errorf("%s opens %q", key, got)
			}
			d.press("esc")
			if got, _ := d.app.top().title(); got != "lockdrill" {
				t.Errorf("esc from %s comes to %q", key, got)
			}
		})
	}
}

func TestCtrlCLeaves(t *testing.T) {
	drive(t, nil, New, func(d *driver) {
		d.press("p", "t")
		d.write("half a thought")
		d.press("ctrl+c")
		if !d.over || !errors.Is(d.app.Err(), ErrInterrupted) {
			t.Errorf("over %v, %v", d.over, d.app.Err())
		}
	})
}

// Where nothing can be written the app works, and says so with the path.
func TestNotSaved(t *testing.T) {
	unsaved := func(first func(*Env) *App) func(*Env) *App {
		return func(env *Env) *App {
			record, err := progress.Unsaved(context.Background(), errors.New("answers will not be saved: /home/somebody/.local/share/lockdrill/progress.db cannot be created: permission denied"))
			if err != nil {
				t.Fatal(err)
			}
			env.Record = record
			return first(env)
		}
	}
	drive(t, nil, unsaved(New), func(d *driver) {
		goldenScreen(t, "home-unsaved", d.app)
		d.press("d", "space", "3")
		if d.reviews() != 1 {
			t.Error("a card cannot be graded")
		}
	})
	drive(t, nil, unsaved(drillAll), func(d *driver) { goldenScreen(t, "drill-unsaved", d.app) })
}
