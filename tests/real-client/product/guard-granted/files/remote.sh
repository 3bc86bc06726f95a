#!/bin/sh
# A remote of its own, with a branch that has moved on there.
set -e
git init -q --bare "$1"
git remote add origin "$1"
git checkout -q -b feat
git commit -q --allow-empty -m one
git push -q -u origin feat
git commit -q --amend --allow-empty -m two
