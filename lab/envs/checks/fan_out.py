"""fan_out.py ENVIRONS COMMAND...: runs COMMAND once per entry of a JSON list of variables; fails when one fails."""

import json
import os
import subprocess
import sys

ranks = [subprocess.Popen(sys.argv[2:], env=os.environ | extra) for extra in json.loads(sys.argv[1])]
statuses = [rank.wait() for rank in ranks]
sys.exit(f"exit statuses by rank: {statuses}" if any(statuses) else 0)
