.PHONY: build demo test conformance bench fmt

build:
	@go run ./cmd/dev build
demo:
	@go run ./cmd/dev demo
test:
	@go run ./cmd/dev test
conformance:
	@go run ./cmd/dev conformance
bench:
	@go run ./cmd/dev bench
fmt:
	@go run ./cmd/dev fmt
