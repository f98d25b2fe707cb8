"""A command-line tool that logs in as those of Google do, with their library: opens a web page, and waits for the callback
on localhost.

Usage: login-tool.py PROVIDER-AS-BROWSERS-SEE-IT PROVIDER-AS-THIS-MACHINE-SEES-IT
"""

import os
import sys

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
os.environ["OAUTHLIB_RELAX_TOKEN_SCOPE"] = "1"

from google_auth_oauthlib.flow import InstalledAppFlow

page, provider = sys.argv[1:]
flow = InstalledAppFlow.from_client_config(
    {
        "installed": {
            "client_id": "tool",
            "client_secret": "no secret",
            "auth_uri": page + "/authorize",
            "token_uri": provider + "/token",
        }
    },
    scopes=["openid"],
)
credentials = flow.run_local_server(port=0, authorization_prompt_message="")
print("logged in with", credentials.token, flush=True)
