# boost needs only Go; make shortens the longer commands. `make` lists them.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 10s
SOAKTIME ?= 1h
BENCH ?= .
WHEELS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
PYTHONS ?=
CROSS := linux/amd64 linux/arm64 darwin/arm64 windows/amd64

export CGO_ENABLED ?= 0

.PHONY: help build boost-mpi size test lint listing fuzz race bench asm wasm requirements transcripts cross soak soak-quick wheel wheels python python-musl python-engines notebooks demo rename-module ci

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build ./bin/boost, without what only debuggers need
	go build -trimpath -ldflags "-s -w" -o bin/ ./cmd/boost

boost-mpi: ## build ./bin/boost-mpi, which also trains over MPI (docs/distributed.md)
	go build -trimpath -ldflags "-s -w" -tags mpi -o bin/boost-mpi ./cmd/boost

size: ## what takes how much of ./bin/boost
	@.ci/size

test: ## run every test
	go test ./...

lint: ## gofmt, go vet, staticcheck and the rules of the tree
	@unformatted=$$(gofmt -l .); \
		test -z "$$unformatted" || { echo "gofmt would change:"; echo "$$unformatted"; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...
	go test ./internal/lint/...

listing: ## fail on fused multiply-adds in what the compilers make of the model's packages
	go run ./internal/lint/listing

fuzz: ## fuzz every parser of bytes for a while (FUZZTIME=10s each)
	.ci/fuzz $(FUZZTIME)

race: ## run the short tests under the race detector (needs gcc)
	CGO_ENABLED=1 go test -race -short ./...

bench: ## run the benchmarks of the packages (BENCH=pattern)
	go test -run '^$$' -bench '$(BENCH)' -benchmem ./...

asm: ## generate the assembly of the kernels anew
	cd internal/kernel/_asm && go run ./bin -out ../bin/kernels_amd64.s -stubs ../bin/kernels_amd64.go -pkg bin
	cd internal/kernel/_asm && go run ./codec -out ../codec/kernels_amd64.s -stubs ../codec/kernels_amd64.go -pkg codec
	cd internal/kernel/_asm && go run ./gram -out ../gram/kernels_amd64.s -stubs ../gram/kernels_amd64.go -pkg gram
	cd internal/kernel/_asm && go run ./hist -out ../hist/kernels_amd64.s -stubs ../hist/kernels_amd64.go -pkg hist
	cd internal/kernel/_asm && go run ./loss -out ../loss/kernels_amd64.s -stubs ../loss/kernels_amd64.go -pkg loss
	cd internal/kernel/_asm && go run ./mix -out ../mix/kernels_amd64.s -stubs ../mix/kernels_amd64.go -pkg mix
	cd internal/kernel/_asm && go run ./partition -out ../partition/kernels_amd64.s -stubs ../partition/kernels_amd64.go -pkg partition
	cd internal/kernel/_asm && go run ./quantize -out ../quantize/kernels_amd64.s -stubs ../quantize/kernels_amd64.go -pkg quantize
	cd internal/kernel/_asm && go run ./predict -out ../predict/kernels_amd64.s -stubs ../predict/kernels_amd64.go -pkg predict
	cd internal/kernel/_asm && go run ./sample -out ../sample/kernels_amd64.s -stubs ../sample/kernels_amd64.go -pkg sample
	cd internal/kernel/_asm && go run ./scan -out ../scan/kernels_amd64.s -stubs ../scan/kernels_amd64.go -pkg scan
	cd internal/kernel/_asm && go run ./text -out ../text/kernels_amd64.s -stubs ../text/kernels_amd64.go -pkg text

wasm: ## run the tests of tensorq and of its codec under WebAssembly, and how fast it packs: wazero, and node where there is one
	.ci/wasm wazero ./tensorq ./internal/kernel/codec
	.ci/wasm wazero -run '^$$' -bench 'ackBits|MaxAbs' -benchtime 1x ./internal/kernel/codec
	@! command -v node >/dev/null || { set -x; \
		.ci/wasm node ./tensorq ./internal/kernel/codec && \
		.ci/wasm node -run '^$$' -bench 'ackBits|MaxAbs' -benchtime 1x ./internal/kernel/codec; }

requirements: ## run the proofs and rewrite docs/requirements.md
	go run ./internal/requirements

transcripts: ## write what the commands of the documents print into them, and the picture of a run
	go run ./internal/transcript -update docs/*.md
	go run ./internal/transcript -svg docs/run.svg boost train examples/adult/train.csv.gz --label income -o census.boost

cross: ## build and vet for every supported platform
	@for target in $(CROSS); do \
		echo "$$target"; \
		GOOS=$${target%/*} GOARCH=$${target#*/} go build ./... || exit 1; \
		GOOS=$${target%/*} GOARCH=$${target#*/} go vet ./... || exit 1; \
	done

soak: ## the long tests, then kills, random tables, damaged files and fuzzing (SOAKTIME=1h)
	.ci/soak
	go run ./internal/soak -for $(SOAKTIME) -json benchmarks/results/soak.json -document docs/reliability.md

soak-quick: ## kills, random tables and damaged files for less than two minutes
	go run ./internal/soak -for 100s -only kills,differential,memory

wheel: ## build the Python wheel of this platform in python/dist
	python3 python/build_backend.py python/dist

wheels: ## build the Python wheels of all platforms, and check them with twine and auditwheel
	python3 python/build_backend.py python/dist $(WHEELS)
	python/check_wheels.sh

python: wheel ## test the Python package on every Python that is here (PYTHONS=python3.10 …)
	python/test.sh $(PYTHONS)

python-musl: wheel ## run the README's example where there is no libc but musl, as in Alpine (it takes root)
	python/musl.sh

python-engines: wheel ## test Spark, Ray and Dask with real ranks (PYTHON=python3.11; some minutes)
	python/engines.sh

notebooks: wheel ## run the notebooks in examples/notebooks and keep what they show
	python/test.sh --notebooks "$$(command -v python3)"

demo: ## train, evaluate and predict on the shipped census data
	go run ./cmd/boost train examples/adult/config.toml

rename-module: ## give the tree another module path (MODULE=example.org/gbt)
	@test -n "$(MODULE)" || { echo "usage: make rename-module MODULE=example.org/gbt"; exit 2; }
	go run ./internal/rename "$(MODULE)"

ci: ## everything that has to pass before a change lands
	.ci/run

-include benchmarks/benchmarks.mk
