// Package worker answers requests of a library in another language, over two pipes: it keeps tables
// and models, trains, predicts and evaluates. docs/python-protocol.md describes the messages.
//
// In: frames of a JSON head and raw bytes. Out: frames of the same kind; answers come in the order in
// which they are ready. It must not know what language asks, nor write to anything but the pipe.
package worker
