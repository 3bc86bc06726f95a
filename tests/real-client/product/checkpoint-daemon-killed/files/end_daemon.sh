#!/bin/sh
# A crash, not a deed of the agent: a script of the project's own, which the guard does not read.
kill -9 "$(sed -n 's/.*serving, pid //p' "$TOPROPE_HOME/daemon.log" | tail -1)"
