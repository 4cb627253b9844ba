# make run    from a fresh clone to a window
# make test   everything, with nothing done by hand before it
# make dist   packages for people who do not build
# make install puts it into this person's menu (Linux), make uninstall takes it away
.PHONY: run build dist install uninstall headless test check bench bench-page soak profile bindings screenshots icons licences dev clean

run:
	@sh scripts/run.sh $(ARGS)

build:
	@sh scripts/page.sh
	@sh scripts/system.sh build
	@sh scripts/build.sh window

dist:
	@sh scripts/dist.sh

install: build
	@sh scripts/install.sh

uninstall:
	@sh scripts/install.sh away

headless:
	@sh scripts/page.sh
	@sh scripts/build.sh headless

test:
	@node scripts/test.mjs $(PHASES)

check:
	@sh scripts/page.sh deps
	@sh scripts/check.sh

# Figures, not verdicts: the main jobs against their floors and the Python SDK,
# and a cold start to the painted Welcome screen. docs/performance.md explains.
bench: build headless
	@sh scripts/bench.sh $(ARGS)
	@npm --prefix e2e ci --no-audit --no-fund --loglevel=error
	@sh scripts/system.sh test
	@sh scripts/xvfb.sh node e2e/coldstart.mjs

# How quickly the page answers, with 1,000 and with 100,000 memories. For frames in
# the real window, after make build: sh scripts/xvfb.sh node e2e/bench-window.mjs
bench-page: headless
	@sh scripts/system.sh test
	@npm --prefix e2e ci --no-audit --no-fund --loglevel=error
	@node e2e/bench-page.mjs $(ARGS)

# What takes long: 1 GB and 2 GB, a million messages with 100,000 memories, an
# export of 6 GB, what hardly anybody has (a conversation of 200,000 messages, a
# million of two, 50,000 attachments, full disks), half a million damaged data
# files, 5,000 kills while keys change and in a session, 200,000 power cuts,
# every system call failing, disks of 1,024 sizes, and every check of the
# sealing, the journal and recovery taken out in turn; every screen of a vault
# with 100,000 memories, a PAM file of 2 GB, each fuzz target of the formats for
# two hours and those of all other readers for ten minutes; the labelled queries
# among 27,500 texts; two assistants and the window at once for a minute, each killed
# in turn; the suites as programs for Windows, under Wine. It ends with a table of
# what each row of the security programme showed (SECURITY.md; build/test/soak.txt
# keeps it).
# ARGS go to keepsake bench: ARGS='--size 20 --memories 1000 --messages 5000'.
soak: headless
	@sh scripts/bench.sh --size 1000 --memories 100000 --messages 1000000 --rounds 1 $(ARGS)
	@build/bin/keepsake-cli bench twice --size 1000 --rounds 1 $(ARGS)
	@build/bin/keepsake-cli bench huge --rounds 1 $(ARGS)
	@KEEPSAKE_SOAK=1 go test -count=1 -v -timeout 120m -run 'TestHardInputs|TestLongConversation|TestTinyConversations|TestManyMemories|TestFullDisk' ./app/cli
	@sh scripts/system.sh test
	@KEEPSAKE_SOAK=1 go test -count=1 -v -timeout 60m -run 'TwoGigabytes' ./backend/format/pam
	@KEEPSAKE_SOAK=1 go test -count=1 -v -timeout 60m -run 'TestNoCallEndsTheProgram' ./app/web
	@KEEPSAKE_SOAK=1 go test -count=1 -v -timeout 60m -run 'TestRanking' ./backend/embed
	@node scripts/wine.mjs
	@npm --prefix e2e ci --no-audit --no-fund --loglevel=error
	@node --test --test-concurrency=1 e2e/soak
	@KEEPSAKE_SOAK=1 node --test e2e/agents/together.test.mjs
	@KEEPSAKE_SOAK=1 node --test e2e/page/very-full.test.mjs
	@node scripts/fuzz.mjs 2h backend/format backend/jcs backend/importer/pam
	@node scripts/fuzz.mjs 10m --but backend/format backend/jcs backend/importer/pam
	@missed=0; node scripts/mutants.mjs || missed=1; node scripts/soak.mjs && exit $$missed

# Writes default.pgo, after backend/seal/aead.go was changed; a test says when.
profile:
	@sh scripts/profile.sh

# Writes frontend/wailsjs from the Go structs; `make test` fails when that is stale.
bindings:
	@sh scripts/bindings.sh

screenshots: headless
	@sh scripts/system.sh test
	@npm --prefix e2e ci --no-audit --no-fund --loglevel=error
	@node e2e/screenshots.mjs

# Draws the icons of build/ from build/appicon.svg.
icons:
	@npm --prefix e2e ci --no-audit --no-fund --loglevel=error
	@node scripts/icons.mjs

# Writes the list of other people's work that Settings shows.
licences:
	@sh scripts/page.sh deps
	@node scripts/licences.mjs

# The window with a page that reloads as it is edited.
dev:
	@sh scripts/system.sh build
	@go tool -modfile=tools/go.mod wails dev -tags webkit2_41 -m -nosyncgomod

clean:
	@rm -rf build/bin build/dist build/test
