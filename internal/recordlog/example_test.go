package recordlog_test

import (
	"fmt"
	"log"
	"os"

	"boost/internal/recordlog"
)

func Example() {
	dir, err := os.MkdirTemp("", "records")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	const words = 1 // a type of record
	writer, err := recordlog.Open(dir, recordlog.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer writer.Close()
	for i, text := range []string{"early", "late"} {
		if _, err := writer.Append(words, "greeting", fmt.Append(nil, i), []byte(text)); err != nil {
			log.Fatal(err)
		}
	}
	if err := writer.Sync(); err != nil { // from here on it survives a loss of power
		log.Fatal(err)
	}
	reader, err := recordlog.OpenReader(dir, recordlog.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Close()
	payload, entry, err := reader.Read(words, "greeting", nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, head %s, sequence number %d\n", payload, entry.Head, entry.Seq)
	// Output: late, head 1, sequence number 2
}
