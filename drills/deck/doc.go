// Package deck reads decks of cards from Markdown: the embedded ones and a
// learner's own go through the same parser.
//
// # A deck is a Markdown file
//
// A heading is a question and the text under it is the answer. That is all a
// plain deck needs:
//
//	# What does a lease give you that a lock does not?
//	An end. If the holder dies, somebody else may go on.
//
// A first-level heading that is the only one of its level, comes first and has
// other headings after it is the title of the deck, and the text under it an
// introduction. A heading with nothing under it but deeper headings is a
// section. Every other heading is a card. Only # headings are read, and none
// inside a code fence or an HTML comment.
//
// # Ids
//
// Reviews are filed under a card's id. A plain card's id is made from the
// name of the deck and its question (white space apart), so its history
// survives any edit of the answer. An edit of the question makes a new card,
// unless the heading is given an id, which then never has to change:
//
//	## What does a lease give you that a lock does not? {#lease-end}
//
// To keep the history a plain card has already, give it the id it has been
// filed under so far (lockdrill export shows it). An id is letters, digits and
// . _ -, unique in its deck. In the record it stands behind the deck's name,
// lease-vs-token/lease-end; a card that moves to another deck keeps its
// history if its id is written in that long form.
//
// # Kinds and attributes
//
// A card with an id may say more about itself in a list on the lines directly
// below its heading; a blank line ends the list.
//
//	## A waiter wakes. What does it do first? {#waiter-first}
//	- topic: etcd-zookeeper
//	- lab: waiters
//	- source: etcd, clientv3/concurrency, mutex.go
//
//	It asks whether its own lease is still alive.
//
// The keys are kind, topic, lab, source. A lab that does not exist is
// "- lab: none, and the reason". The kind is qa if nothing else is said.
//
// A choice says so by its task list: one option is ticked, and the item under
// each says why it is right or wrong.
//
//	## Who refuses a late write? {#who}
//
//	- [ ] The lock service
//	  - It never sees the write.
//	- [x] The store
//	  - It compares the token.
//
// A cloze has its [gaps] in square brackets. An order is a numbered list, in
// the right order. A row has three items, "- get: …", "- owe: …" and "- fit: …".
//
// Front matter may set name and topic for the whole deck; without it the deck
// has the name of its file.
//
// # The syntax of hashcards
//
// A file without ids that has Q:, A: and C: lines is read as hashcards writes
// them: a question and its answer, and a sentence with [gaps], one card for
// each gap.
//
// # What is refused
//
// Nothing is ever skipped without a word. A code fence, comment or front matter
// that is never closed, a question without an answer, an id used twice, text
// that is not UTF-8 and anything over the bounds is an [Error], which names
// file, line and reason.
package deck
