package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"boost/booster/model"
	"boost/dataset"
	"boost/internal/format"
)

// Protocol is the version of the messages. A library refuses a worker of another one.
const Protocol = 1

// server keeps what requests share: tables and models by number, and what can be cancelled.
type server struct {
	out     *frameWriter
	version string
	memory  *parentMemory // nil where the system does not let it be read

	mu      sync.Mutex
	last    uint32 // number that was given out last
	models  map[uint32]*keptModel
	tables  map[uint32]*memoryTable
	cancels map[uint32]context.CancelFunc // by request
	results map[uint32]chan<- []byte      // of calls of the library's functions
}

// Serve answers the requests that come from in until it ends. version is that of the program. Each request
// that is not quick runs in a goroutine of its own. What is under way when in ends is cancelled.
func Serve(ctx context.Context, in io.Reader, out io.Writer, version string) error {
	ctx, stop := context.WithCancel(ctx)
	s := &server{out: &frameWriter{w: out}, version: version,
		models: map[uint32]*keptModel{}, tables: map[uint32]*memoryTable{}, cancels: map[uint32]context.CancelFunc{}, results: map[uint32]chan<- []byte{}}
	if err := s.out.write(0, helloHead{Protocol: Protocol, Version: version}, nil); err != nil {
		stop()
		return err
	}
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	for {
		f, err := readFrame(in)
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("a request: %w", err)
		}
		r := &request{server: s, id: f.id, body: f.body}
		if err := json.Unmarshal(f.head, &r.head); err != nil {
			r.answer(nil, nil, protocolf("the head of a request: %v", err))
			continue
		}
		if s.control(&r.head, f.body) {
			continue
		}
		r.raw = f.head
		if r.head.Quick {
			head, body, err := r.run(ctx)
			r.answer(head, body, err)
			continue
		}
		requestContext, cancel := context.WithCancel(ctx)
		s.mu.Lock()
		s.cancels[r.id] = cancel
		s.mu.Unlock()
		running.Go(func() {
			head, body, err := r.run(requestContext)
			s.mu.Lock()
			delete(s.cancels, r.id)
			s.mu.Unlock()
			cancel()
			r.answer(head, body, err)
		})
	}
}

// helloHead is the head of the first frame.
type helloHead struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
}

// requestHead is what the heads of all requests have.
type requestHead struct {
	Op     string   `json:"op"`
	Quick  bool     `json:"quick"`  // answer before the next request is read: no goroutine, no cancelling
	Log    string   `json:"log"`    // lowest level of messages that are sent: debug, info or warn; "" for none
	Cancel uint32   `json:"cancel"` // op cancel: the request
	Call   uint32   `json:"call"`   // op result
	Models []uint32 `json:"models"` // op free
	Tables []uint32 `json:"tables"`
}

// control does what has no answer, and reports whether the request is of this kind.
func (s *server) control(head *requestHead, body []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch head.Op {
	case "cancel":
		if cancel := s.cancels[head.Cancel]; cancel != nil {
			cancel()
		}
	case "result":
		if result := s.results[head.Call]; result != nil {
			result <- body
			delete(s.results, head.Call)
		}
	case "free":
		for _, number := range head.Models {
			delete(s.models, number)
		}
		for _, number := range head.Tables {
			delete(s.tables, number)
		}
	default:
		return false
	}
	return true
}

// keptModel is a model with what predictions of its rows ask for.
type keptModel struct {
	*model.Model
	features int
	plain    bool
}

// keepModel gives a model a number.
func (s *server) keepModel(m *model.Model) uint32 {
	schema := m.Schema()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.models[s.last] = &keptModel{m, len(featureNames(schema)), plain(schema)}
	return s.last
}

// keepTable gives a table a number.
func (s *server) keepTable(t *memoryTable) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	s.tables[s.last] = t
	return s.last
}

func (s *server) model(number uint32) (*keptModel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.models[number]; m != nil {
		return m, nil
	}
	return nil, protocolf("there is no model %d", number)
}

func (s *server) table(number uint32) (*memoryTable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tables[number]; t != nil {
		return t, nil
	}
	return nil, protocolf("there is no table %d", number)
}

// request is one request on its way.
type request struct {
	server *server
	id     uint32
	head   requestHead
	raw    []byte // the whole head
	body   []byte
	told   []string // notes, each once
}

// operations are what a request can ask for. They return the head and the body of the answer.
var operations = map[string]func(*request, context.Context) (any, []byte, error){
	"hello":      (*request).hello,
	"table":      (*request).makeTable,
	"write":      (*request).writeTable,
	"train":      (*request).train,
	"cv":         (*request).crossValidate,
	"average":    (*request).average,
	"tune":       (*request).tune,
	"load":       (*request).load,
	"predict":    (*request).predict,
	"staged":     (*request).staged,
	"evaluate":   (*request).evaluate,
	"importance": (*request).importance,
}

// run does what the request asks for. A panic is an error of the program; the other requests go on.
func (r *request) run(ctx context.Context) (head any, body []byte, err error) {
	operation := operations[r.head.Op]
	if operation == nil {
		return nil, nil, protocolf("unknown operation %q", r.head.Op)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("boost has a mistake: %v\n%s", p, debug.Stack())
		}
	}()
	return operation(r, ctx)
}

// parse reads the head as an operation needs it.
func (r *request) parse(head any) error {
	if err := json.Unmarshal(r.raw, head); err != nil {
		return protocolf("operation %s: %v", r.head.Op, err)
	}
	return nil
}

// answer ends the request. An error of the pipe shows itself when the next request is read.
func (r *request) answer(head any, body []byte, err error) {
	if err != nil {
		head, body = errorHead{Error: r.settingsOf(wording(err)), Class: classOf(err)}, nil
	} else if head == nil {
		head = struct{}{}
	}
	if err := r.server.out.write(r.id, head, body); err != nil {
		_ = r.server.out.write(r.id, errorHead{Error: err.Error(), Class: classOther}, nil)
	}
}

// errorHead is the head of an answer in place of the operation's own.
type errorHead struct {
	Error string `json:"error"`
	Class string `json:"class"`
}

// event is the head of a message about a request that is under way.
type event struct {
	Event string `json:"event"` // log or round; trials and calls have their own
	Level string `json:"level,omitempty"`
	Text  string `json:"text,omitempty"`
	*roundEvent
}

// tell sends a message of a level.
func (r *request) tell(level slog.Level, text string) {
	_ = r.server.out.write(r.id, event{Event: "log", Level: level.String(), Text: text}, nil)
}

// note tells what is to be said about tables and settings, each once.
func (r *request) note(notes ...string) {
	for _, note := range notes {
		note = r.settingsOf(note)
		if !slices.Contains(r.told, note) {
			r.told = append(r.told, note)
			r.logger().Info(note)
		}
	}
}

// noteTable tells what is to be said about a table. That rows are left out is a warning.
func (r *request) noteTable(t *dataset.Table) {
	for _, note := range t.Notes() {
		if t.Skipped() > 0 && strings.Contains(note, " skipped; the first: ") {
			r.logger().Warn(note)
		} else {
			r.note(note)
		}
	}
}

// logger returns what sends messages.
func (r *request) logger() *slog.Logger {
	var level slog.Level
	if r.head.Log == "" || level.UnmarshalText([]byte(r.head.Log)) != nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(&logHandler{request: r, level: level})
}

// logHandler sends what is logged as messages.
type logHandler struct {
	request *request
	level   slog.Level
	attrs   []slog.Attr
}

// Enabled reports whether messages of the level are sent.
func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

// Handle sends one message, its attributes in brackets behind it.
func (h *logHandler) Handle(_ context.Context, record slog.Record) error {
	var text bytes.Buffer
	text.WriteString(record.Message)
	separator := " ("
	add := func(attr slog.Attr) bool {
		fmt.Fprintf(&text, "%s%s %s", separator, attr.Key, format.Printable(attr.Value.String()))
		separator = ", "
		return true
	}
	for _, attr := range h.attrs {
		add(attr)
	}
	record.Attrs(add)
	if separator == ", " {
		text.WriteByte(')')
	}
	h.request.tell(record.Level, text.String())
	return nil
}

// WithAttrs returns a handler that adds the attributes to every message.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{h.request, h.level, slices.Concat(h.attrs, attrs)}
}

// WithGroup leaves names of groups out.
func (h *logHandler) WithGroup(string) slog.Handler { return h }

// roundEvent is a finished round.
type roundEvent struct {
	Round int          `json:"round"` // 1, 2, …
	Of    int          `json:"of"`
	Best  int          `json:"best"`
	Evals []evaluation `json:"evals,omitempty"`
}

// evaluation is a metric of a set after a round; nil where it is undefined.
type evaluation struct {
	Set    string   `json:"set"`
	Metric string   `json:"metric"`
	Value  *float64 `json:"value"`
}

// roundInterval is how often rounds are told at most, but for the last.
const roundInterval = 50 * time.Millisecond

// hello learns what the two sides share.
func (r *request) hello(context.Context) (any, []byte, error) {
	var head struct {
		Protocol int    `json:"protocol"`
		Address  uint64 `json:"address"` // of the body, in the memory of the parent; 0: do not try
	}
	if err := r.parse(&head); err != nil {
		return nil, nil, err
	}
	if head.Protocol != Protocol {
		return nil, nil, protocolf("the library speaks protocol %d, this program %s speaks %d: install the library and the program of one version", head.Protocol, r.server.version, Protocol)
	}
	if head.Address != 0 {
		if memory := openParentMemory(); memory != nil {
			seen := make([]byte, len(r.body))
			if memory.read(seen, head.Address) == nil && bytes.Equal(seen, r.body) {
				r.server.mu.Lock()
				r.server.memory = memory
				r.server.mu.Unlock()
			}
		}
	}
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	return struct {
		Memory bool `json:"memory"`
	}{r.server.memory != nil}, nil, nil
}
