"""Takes our entries out of a settings file, and gives the client time to notice."""
import json
import sys
import time
from pathlib import Path

path = Path(sys.argv[1])
settings = json.loads(path.read_text())
for event, groups in settings["hooks"].items():
    settings["hooks"][event] = [group for group in groups if "toprope" not in str(group)]
path.write_text(json.dumps(settings, indent=1))
time.sleep(3)
