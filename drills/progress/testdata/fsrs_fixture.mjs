// Writes fsrs.csv: 10,000 random review sequences and what ts-fsrs says after
// each review. Run once, in a directory of its own, never by the tests:
//
//   npm install ts-fsrs@5.4.2
//   node fsrs_fixture.mjs > fsrs.csv && gzip -9n fsrs.csv
//
// One sequence a line, its reviews separated by ";", each review
//   minutes since the one before, grade, state, minutes until due,
//   stability, difficulty, lapses
// The first review of every sequence is at 2026-01-01T00:00Z plus its minutes.
import { createEmptyCard, fsrs, generatorParameters } from "ts-fsrs";

// mulberry32, so that a second run writes the same bytes.
let seed = 20261129;
function random() {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const below = (n) => Math.floor(random() * n);

// On time, within the hour, early, late, or years late; never after more than
// ten years (beyond a century ts-fsrs exceeds its own longest interval).
function gap(card, now) {
  const due = Math.min(3650 * 1440, Math.max(0, Math.round((card.due - now) / 60000)));
  switch (below(6)) {
    case 0: return below(60);
    case 1: return Math.floor(due * random());
    case 2: return due + below(3 * 1440);
    case 3: return due + below(2 * due + 1);
    case 4: return random() < 0.1 ? due + below(1500 * 1440) : due;
    default: return due;
  }
}

const grades = [1, 1, 2, 3, 3, 3, 3, 4];
const scheduler = fsrs(generatorParameters({ enable_fuzz: false }));
const start = Date.UTC(2026, 0, 1);
for (let i = 0; i < 10000; i++) {
  let now = new Date(start);
  let card = createEmptyCard(now);
  const out = [];
  for (let n = 1 + below(12); n > 0; n--) {
    const minutes = out.length === 0 ? below(1440) : gap(card, now);
    now = new Date(now.getTime() + minutes * 60000);
    const grade = grades[below(grades.length)];
    card = scheduler.next(card, now, grade).card;
    out.push([minutes, grade, card.state, Math.round((card.due - now) / 60000),
      card.stability.toFixed(7), card.difficulty.toFixed(7), card.lapses].join(","));
  }
  console.log(out.join(";"));
}
