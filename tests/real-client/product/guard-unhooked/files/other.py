"""Changes another setting, so that the client reads all its files again, and gives it time to do so."""
import json
import time
from pathlib import Path

path = Path(".claude/settings.local.json")
settings = json.loads(path.read_text()) if path.exists() else {}
settings["model"] = "opus"
path.parent.mkdir(exist_ok=True)
path.write_text(json.dumps(settings, indent=1))
time.sleep(2.5)
