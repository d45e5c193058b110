package labs

import (
	"context"
	"fmt"
	"slices"
	"time"
)

const (
	flagConfig = "config"
	flagCrash  = "crash"
)

// invoices is how many unpaid rows the night has, and crashAt the one at which
// the first worker dies.
const (
	invoices = 6
	crashAt  = 3
)

// chargeLab: the nightly invoice run, with a worker that dies in the middle.
func chargeLab() Lab {
	return Lab{
		Name:     "charge",
		Question: "A worker dies in the middle of charging customers. Who is charged twice?",
		Services: []string{"redis", "etcd"},
		Stores:   []string{Unfenced, Fenced},
		Points:   []int{5},
		Flags: []Flag{
			{Name: flagConfig, Values: []string{"lock", "key", "both", "none"}, Default: "lock",
				Usage: "what guards the run: a lock on the job, an idempotency key per charge, both, none"},
			{Name: flagCrash, Values: []string{"before-call", "after-call", "after-save"}, Default: "after-call",
				Usage: "where the first worker dies at its third row: before it calls the vendor, after the call and before it saves, after it saved"},
		},
		// Long enough for A to hold it until it dies, on any machine.
		ttl: func(string) time.Duration { return time.Second },
		plan: func(o Options) plan {
			c := o.value(flagConfig)
			p := plan{members: 1, vendor: true, lockless: true, keys: c == "key" || c == "both"}
			for i := range invoices {
				p.unpaid = append(p.unpaid, fmt.Sprint(i+1))
			}
			return p
		},
		run: func(ctx context.Context, s *Session) error { return (&night{s: s}).run(ctx) },
		question: func(Options) Question {
			return Question{
				Before: verbRun,
				Text:   fmt.Sprintf("%d unpaid rows, two workers, and the first one dies at row %d. Is anybody charged twice?", invoices, crashAt),
				Answers: []Prediction{
					{"yes", func(v Verdict) bool { return v.Check("effect-once").Verdict == Broken }},
					{"no", func(v Verdict) bool { return v.Check("effect-once").Verdict == Held }},
				},
			}
		},
		say: sayCharge,
	}
}

// charges are the figures of a night.
type charges struct {
	Config  string `json:"config"`
	Crash   string `json:"crash"`
	Rows    int    `json:"rows"`
	Charges int    `json:"charges"`
	Double  int    `json:"double_charges"`
	Calls   int    `json:"vendor_calls"`
	Wasted  int    `json:"wasted_calls"` // calls that no row needed
}

// night is one invoice run: both workers were started for it, as schedulers do.
type night struct{ s *Session }

func (n *night) run(ctx context.Context) error {
	work := n.sideBySide
	if c := n.s.Options.value(flagConfig); c == "lock" || c == "both" {
		work = n.inTurn
	}
	if err := work(ctx); err != nil {
		return err
	}
	f := countCharges(n.s.history.Events())
	f.Config, f.Crash = n.s.Options.value(flagConfig), n.s.Options.value(flagCrash)
	return n.s.measure(f, fmt.Sprintf("%d rows, %d charges, %d double, %d calls to the vendor, %d of them wasted",
		f.Rows, f.Charges, f.Double, f.Calls, f.Wasted))
}

// inTurn: whoever has the lock works. B is refused while A lives, and comes in
// when A's lease has ended.
func (n *night) inTurn(ctx context.Context) error {
	if err := n.do(ctx, "acquire A", "claim A", "acquire B", "until renewed A"); err != nil {
		return err
	}
	for row := 1; row <= crashAt; row++ {
		if err := n.bill(ctx, "A", row); err != nil {
			return err
		}
	}
	if err := n.do(ctx, "until expired A", "acquire B", "claim B"); err != nil {
		return err
	}
	for row := 1; row <= invoices; row++ {
		if err := n.bill(ctx, "B", row); err != nil {
			return err
		}
	}
	return n.do(ctx, "release B")
}

// sideBySide: nothing keeps the workers apart, and both come to each row
// before either has saved it.
func (n *night) sideBySide(ctx context.Context) error {
	for row := 1; row <= invoices; row++ {
		names := []string{"A", "B"}
		if row > crashAt {
			names = names[1:]
		}
		var todo []string
		for _, name := range names {
			unpaid, err := n.unpaid(ctx, name, row)
			if err != nil {
				return err
			}
			if unpaid {
				todo = append(todo, name)
			}
		}
		for _, name := range todo {
			if err := n.pay(ctx, name, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// bill looks at one row, and has it paid if it is not.
func (n *night) bill(ctx context.Context, name string, row int) error {
	unpaid, err := n.unpaid(ctx, name, row)
	if err != nil || !unpaid {
		return err
	}
	return n.pay(ctx, name, row)
}

func (n *night) unpaid(ctx context.Context, name string, row int) (bool, error) {
	if err := n.do(ctx, fmt.Sprintf("check %s %d", name, row)); err != nil {
		return false, err
	}
	e := n.s.last(func(e Event) bool { return e.Process == name && e.Op == OpRead && e.Type != Invoke })
	if e.Type != OK {
		return false, fmt.Errorf("%s could not read its row: %s", name, e.Err)
	}
	return e.Value == "unpaid", nil
}

// pay charges and saves, and dies where the lab was told to let it.
func (n *night) pay(ctx context.Context, name string, row int) error {
	steps := []string{fmt.Sprintf("charge %s %d", name, row), fmt.Sprintf("mark %s %d", name, row)}
	if name == "A" && row == crashAt {
		at := slices.Index([]string{"before-call", "after-call", "after-save"}, n.s.Options.value(flagCrash))
		steps = append(slices.Clone(steps[:at]), "kill A")
	}
	return n.do(ctx, steps...)
}

func (n *night) do(ctx context.Context, lines ...string) error {
	for _, a := range mustParse(lines) {
		if err := n.s.Do(ctx, a); err != nil {
			return fmt.Errorf("%s: %w", a, err)
		}
	}
	return nil
}

// countCharges counts what the vendor was seen to do.
func countCharges(events []Event) charges {
	f, times := charges{Rows: invoices}, map[string]int{}
	for _, e := range events {
		if e.Process != VendorName || e.Op != OpCharge {
			continue
		}
		f.Calls++
		if e.Type == OK {
			f.Charges++
			times[e.Effect]++
		}
	}
	for _, n := range times {
		f.Double += n - 1
	}
	f.Wasted = f.Calls - len(times)
	return f
}

func sayCharge(r Result) Lesson {
	f := figures[charges](r)
	if f.Rows == 0 {
		return Lesson{What: "The night is not over."}
	}
	l := Lesson{What: fmt.Sprintf("%d rows, %d charges: %s charged twice, %s to the vendor went for nothing.",
		f.Rows, f.Charges, countOf(f.Double, "customer"), countOf(f.Wasted, "call"))}
	switch {
	case f.Config == "none":
		l.Why = "Both workers saw each row unpaid before either had saved it."
		l.Room = "Two schedulers will run the job twice one night: say first what keeps the money safe, then what keeps the work single."
	case f.Config == "lock" && f.Double > 0:
		l.Why = "The lock kept B out while A lived. It could not know that A had called the vendor and died before it saved."
		l.Room = "A lock saves work; it does not make a charge happen once. The idempotency key does."
	case f.Config == "lock":
		l.Why = "A died where nothing was lost: the row said by itself whether it was paid."
		l.Room = "A lock alone is safe only for the crashes that you were lucky in."
	case f.Config == "key":
		l.Why = "The key belongs to the charge and not to the try, so the vendor gave its first answer again. Nothing kept the second worker from trying every row."
		l.Room = "The key is the correctness; without the lock you pay for it in wasted calls."
	default:
		l.Why = "The key made the repeated call harmless, and the lock kept the second worker from making the others."
		l.Room = "Key for correctness, lock for efficiency: exactly once is an effect, made of retries and a key."
	}
	return l
}
