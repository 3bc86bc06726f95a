#!/bin/sh
git -C "$1" log -1 --format=%s feat > seen.txt
