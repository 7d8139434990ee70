"""What /openapi.json says is what the service does: schemathesis tries every operation with sound and unsound requests."""

import os
import pathlib
import subprocess

import pytest

from harness.registry import python_of
from service_client import LONG_S
from tls_service import TlsService

SECONDS = os.environ.get("LOCKSTEP_SCHEMATHESIS_SECONDS", "20")
# Sound by its schema, a job may still be one that this machine cannot run: its script is not there, it needs more cores.
NOT_CHECKED = "positive_data_acceptance"


@pytest.fixture
def service(tmp_path):
    (tmp_path / "s").mkdir()
    made = TlsService(tmp_path / "s").start({"PATH": str(tmp_path)})  # no command is found: what is made up does not run
    yield made
    made.end()


def test_the_service_keeps_what_its_document_promises(service, tmp_path):
    token, _, _ = service.token("ann")
    tried = subprocess.run(
        [pathlib.Path(python_of("openapi")).parent / "schemathesis", "run", f"{service.url}/openapi.json", "--checks", "all",
         "--exclude-checks", NOT_CHECKED, "--header", f"Authorization: Bearer {token}", "--tls-verify", service.certificate,
         "--max-time", SECONDS, "--seed", "1", "--request-timeout", "30", "--suppress-health-check", "all", "--warnings", "off"],
        capture_output=True, text=True, cwd=tmp_path, timeout=int(SECONDS) + LONG_S)
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert service.answers()
    print(tried.stdout)
