# Measurements: `make peers`, `make load`, `make accuracy`, `make sizes`. Included by the top Makefile.
#
# The other trainers live in a Python environment outside the tree; BOOST_PEERS_VENV
# names another place for it. BOOST_SHARED holds the real data sets.

BENCH_CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/boost
BOOST_PEERS_VENV ?= $(BENCH_CACHE)/peers-venv
BOOST_SHARED ?= $(abspath ../shared)
PEERS_PYTHON := $(BOOST_PEERS_VENV)/bin/python

ROWS ?= 1000000
THREADS ?= 2
REPEATS ?= 5
ROW ?= real
TURNS ?= 3
ONLY ?=
SPLITS ?= 10
ROWBENCH ?= Quantize|QuantizeGradients|PackBits|UnpackBits|MaxAbs|U4Share|HistRowMajor|LayoutBytes|HistU8VsF32Lookup|BinningShare|AccuracyVsMaxBin|LinearCost|BundleSpeed|HistByWidth|GenericKernel|HistBytes|ExactVsHist|HistQuantVsF32|HistQuantGrid|QuantizeShare|TwoLevelGain|NodeBytes|MorphModel|DTypeTable|Q40VsI4|Calibration
ROWPACKAGES := ./internal/kernel/quantize ./internal/kernel/codec ./binning ./histogram ./benchmarks/parts ./benchmarks/accuracy ./internal/tensorbench ./ptq/compress ./benchmarks/compression
SETS ?=

.PHONY: ranks-simulated ranks-peers sizes interop bench-rows peers peers-predict python-peers bench-guard load peers-env accuracy defaults defaults-peers defaults-outside defaults-alternatives accuracy-peers accuracy-check accuracy-precision compression intervals fixtures modes

peers-env: ## make the Python environment with the peers and the writers of tables
	@test -x $(PEERS_PYTHON) || python3 -m venv $(BOOST_PEERS_VENV) \
		|| echo "peers-env: no Python with venv here; no peer can be had"
	@test ! -x $(PEERS_PYTHON) || while read -r package; do \
		$(PEERS_PYTHON) -m pip install --quiet --disable-pip-version-check "$$package" \
			|| echo "peers-env: $$package could not be had; what needs it will be missing"; \
	done < benchmarks/requirements.txt
	@test ! -x $(PEERS_PYTHON) || $(PEERS_PYTHON) -m pip list --disable-pip-version-check 2>/dev/null \
		| grep -iE '^(lightgbm|xgboost|scikit-learn|catboost|pandas|pyarrow|polars|duckdb|scipy|optuna|treelite|tl2cgen|lleaves|ydf|scikit-learn-intelex|onnxruntime|onnxmltools) ' || true

peers: peers-env ## time training beside the peers: ROW=real on real tables and four generated ones, ROW=dense on a generated one (SETS=a,b for some; TURNS)
	go run ./benchmarks peers --python $(PEERS_PYTHON) --data $(BOOST_SHARED)/data --sets "$(if $(filter real,$(ROW)),$(SETS),$(ROW))" --turns $(TURNS)

modes: peers-env ## time ways of training beside plain training and beside LightGBM's same (15 minutes; SETS=sgemm for one table, TURNS, THREADS, ONLY=dart,l1 for some)
	go run ./benchmarks modes --python $(PEERS_PYTHON) --data $(BOOST_SHARED)/data --threads $(THREADS) --turns $(if $(filter 3,$(TURNS)),2,$(TURNS)) --only "$(ONLY)" $(if $(SETS),--sets $(SETS))

peers-predict: peers-env ## time predictions beside the peers', on one thread: batches and single rows (TURNS; ONLY=100x31x28 for some)
	go run ./benchmarks scorers --python $(PEERS_PYTHON) --only "$(ONLY)" --turns $(TURNS)

ranks-simulated: ## time trees over ranks in network namespaces by replay, fit the model and extend it (Linux, root, iproute2)
	go run ./benchmarks ranks

ranks-peers: peers-env ## time training over two ranks beside LightGBM and XGBoost in network namespaces, on a machine with little else to do (Linux, root; TURNS)
	go run ./benchmarks ranks-peers --python $(PEERS_PYTHON) --turns $(TURNS)

bench-guard: ## the tree's speed beside that of the last release, or of BASE=commit, in turns; SHORT=1 for a minute's look
	go run ./benchmarks guard $(if $(BASE),--base $(BASE)) $(if $(SHORT),--rows 50000 --rounds 20 --turns 3)

sizes: peers-env ## measure model files beside LightGBM's, XGBoost's and CatBoost's (SETS=a,b for some sets)
	go run ./benchmarks sizes --python $(PEERS_PYTHON) --data $(BOOST_SHARED)/data --threads $(THREADS) --sets "$(SETS)"

python-peers: peers-env wheel ## time the Python packages: import, fits of 1k, 10k and 1M rows, predictions of a few, and their size; write it into docs/performance.md (TURNS THREADS)
	$(PEERS_PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall python/dist/boost_gbt-*-py3-none-*"$$(uname -m)"*.whl
	$(PEERS_PYTHON) benchmarks/python/packages.py --turns $(TURNS) --threads $(THREADS) --out benchmarks/results/python.json --document docs/performance.md

load: peers-env ## time the readers beside the peers' (ROWS REPEATS; ONLY=floats.csv,strings.parquet for some files)
	go run ./benchmarks loading --python $(PEERS_PYTHON) --rows $(ROWS) --repeats $(REPEATS) --only "$(ONLY)"

bench-rows: ## run the benchmarks of S0 to S4 and keep what they find (ROWBENCH=pattern)
	@events=$$(mktemp) && trap 'rm -f "$$events"' EXIT && \
		go test -json -timeout 120m -p 1 -run '^$$' -bench '^Benchmark($(ROWBENCH))$$' $(ROWPACKAGES) > "$$events"; \
		go run ./benchmarks rows --events "$$events"

interop: peers-env ## read what pandas, polars, DuckDB, pyarrow and scikit-learn write today; read compressed models in Python
	PYTHONDONTWRITEBYTECODE=1 benchmarks/interop $(PEERS_PYTHON)

fixtures: peers-env ## record anew what peers lose and predict on the rows of tests (ONLY=booster/testdata/options.py for one)
	benchmarks/fixtures $(PEERS_PYTHON) $(ONLY)

intervals: ## count what intervals cover of the test rows of real sets and write it into docs/trust.md (SETS=a,b for some, THREADS)
	go run ./benchmarks intervals --data $(BOOST_SHARED)/data --threads $(THREADS) --sets "$(SETS)"

accuracy: ## train every real set and write docs/accuracy.md (SETS=a,b for some, THREADS)
	go run ./benchmarks accuracy --data $(BOOST_SHARED)/data --threads $(THREADS) --sets "$(SETS)"
	$(if $(SETS),,go run ./benchmarks objectives --data $(BOOST_SHARED)/data --threads $(THREADS))

defaults: ## train the sets of the study by the defaults and write docs/defaults.md (SETS=a,b for some, SPLITS=5)
	go run ./benchmarks defaults --data $(BOOST_SHARED)/data --sets "$(SETS)" --splits $(if $(filter 10,$(SPLITS)),5,$(SPLITS))

defaults-peers: peers-env ## train the peers by theirs; what is known is kept (hours; SETS=a,b for some, SPLITS=5)
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 $(PEERS_PYTHON) benchmarks/python/defaults.py --data $(BOOST_SHARED)/data \
		--out benchmarks/defaults_peers.json --splits $(if $(filter 10,$(SPLITS)),5,$(SPLITS)) $(if $(SETS),--sets $(SETS))

defaults-alternatives: ## change one value of the defaults at a time, and choose by leaving each set out (an hour; SETS=a,b for some)
	go run ./benchmarks alternatives --data $(BOOST_SHARED)/data --sets "$(SETS)"

OUTSIDE := $(BENCH_CACHE)/outside

defaults-outside: peers-env ## train boost and the peers by their defaults on sets that the defaults were not chosen on (20 minutes a split; what is known of the peers is kept; SPLITS=2)
	$(PEERS_PYTHON) benchmarks/python/outside.py --out $(OUTSIDE)
	OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 $(PEERS_PYTHON) benchmarks/python/defaults.py --data $(OUTSIDE) \
		--out benchmarks/outside_peers.json --splits $(if $(filter 10,$(SPLITS)),2,$(SPLITS))
	go run ./benchmarks defaults --outside --data $(OUTSIDE) --peers benchmarks/outside_peers.json \
		--results benchmarks/results/outside.json --efforts default --splits $(if $(filter 10,$(SPLITS)),2,$(SPLITS))

tuning: peers-env build ## search settings beside Optuna with LightGBM, and train within budgets (an hour; SETS=a,b for some)
	PYTHONDONTWRITEBYTECODE=1 $(PEERS_PYTHON) benchmarks/python/tuning.py --boost bin/boost --data $(BOOST_SHARED)/data \
		--out benchmarks/results/tuning.json --threads $(THREADS) --budgets 5,20,60 $(if $(SETS),--sets $(SETS))

accuracy-precision: ## compare i16, i8 and i4 with f32 gradients on re-splits, for docs/accuracy.md (S2.28, S0.30)
	go run ./benchmarks precision --data $(BOOST_SHARED)/data --threads $(THREADS)

compression: ## measure what data types, scales and error feedback cost on real sets
	go run ./benchmarks compression --data $(BOOST_SHARED)/data --threads $(THREADS)

accuracy-check: ## train three real sets, and three by each effort; fails where a loss is out of bounds
	go run ./benchmarks accuracy --check --data $(BOOST_SHARED)/data --threads $(THREADS)
	go run ./benchmarks defaults --check --data $(BOOST_SHARED)/data --sets taxis,mammography,cps_earnings

accuracy-peers: peers-env ## train the peers on the re-splits of the small sets (SETS=a,b for some)
	OMP_NUM_THREADS=$(THREADS) PYTHONDONTWRITEBYTECODE=1 \
		$(PEERS_PYTHON) benchmarks/python/accuracy_small.py --data $(BOOST_SHARED)/data \
		--out benchmarks/accuracy_small.json --splits $(SPLITS) --threads $(THREADS) $(if $(SETS),--sets $(SETS))
	$(if $(SETS),,OMP_NUM_THREADS=$(THREADS) PYTHONDONTWRITEBYTECODE=1 \
		$(PEERS_PYTHON) benchmarks/python/accuracy_objectives.py --data $(BOOST_SHARED)/data \
		--out benchmarks/accuracy_objectives.json --splits $(SPLITS) --threads $(THREADS) \
		$$(go run ./benchmarks objectives --list))
