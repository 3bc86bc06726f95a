#!/bin/sh
cp new.json .claude/settings.json
