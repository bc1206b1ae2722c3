// Package harness is what all measurements have in common.
//
// In: commands that print JSON, records, Markdown. Out: what a process found and used, the machine it
// ran on, JSON files, marked sections of documents.
//
// It must not know what is measured.
package harness
