#!/bin/bash
for name in "$@"; do
	printenv "$name" || echo None
done
