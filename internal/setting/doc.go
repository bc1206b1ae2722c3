// Package setting describes parameters, each once: its key, its field, what it may be, what it
// does, and the names that other libraries have for it.
//
// Beside every Params stands a function that lists its settings. From these lists follow Validate
// of the library, what a model stores, the keys of a config file, their documentation and the
// completion of the shell. It must not know TOML, flags, or any parameter.
package setting
