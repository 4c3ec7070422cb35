#!/bin/bash
echo "${1-STDOUT}"
echo "${2-STDERR}" >&2
exit "${3-0}"
