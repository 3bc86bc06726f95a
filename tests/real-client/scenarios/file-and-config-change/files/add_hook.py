import json
import sys

path = ".claude/settings.json"
with open(path, encoding="utf-8") as file:
    settings = json.load(file)
settings["hooks"]["PreToolUse"].append({"hooks": [{"type": "command", "command": sys.argv[1]}]})
with open(path, "w", encoding="utf-8") as file:
    json.dump(settings, file)
