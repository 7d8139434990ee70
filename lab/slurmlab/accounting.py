"""The accounts of the lab's Slurm: MariaDB and slurmdbd on the host that people log in to."""

import os
import pathlib
import pwd

DATABASE_PORT = 16819
ACCOUNT = "research"


def slurm_conf_lines(folder: pathlib.Path) -> list[str]:
    """With a munge of one's own its socket has to be named here too, else clients look for the system's."""
    return ["AccountingStorageType=accounting_storage/slurmdbd", "AccountingStorageHost=127.0.0.1",
            f"AccountingStoragePort={DATABASE_PORT}", f"AccountingStoragePass={folder}/run/munge.sock",
            "AccountingStorageEnforce=associations"]


def write_slurmdbd_conf(folder: pathlib.Path):
    conf = folder / "slurmdbd.conf"
    conf.write_text("\n".join([
        "DbdHost=localhost", "DbdAddr=127.0.0.1", f"DbdPort={DATABASE_PORT}", "SlurmUser=root", "AuthType=auth/munge",
        f"AuthInfo=socket={folder}/run/munge.sock", f"LogFile={folder}/log/slurmdbd.log", f"PidFile={folder}/run/slurmdbd.pid",
        "StorageType=accounting_storage/mysql", "StorageHost=localhost", "StorageUser=root", "StorageLoc=slurm_acct_db"]) + "\n")
    conf.chmod(0o600)


def install_database_command(folder: pathlib.Path) -> list:
    return ["mariadb-install-db", "--no-defaults", f"--datadir={folder}/db", "--auth-root-authentication-method=normal",
            "--skip-test-db", f"--user={own_name()}"]


def database_command(folder: pathlib.Path) -> list:
    return ["mariadbd", "--no-defaults", f"--user={own_name()}", f"--datadir={folder}/db", f"--socket={database_socket(folder)}",
            "--skip-networking", f"--pid-file={folder}/run/mariadb.pid", "--innodb-buffer-pool-size=64M",
            "--innodb-lock-wait-timeout=900", "--innodb-flush-log-at-trx-commit=0"]


def database_socket(folder: pathlib.Path) -> pathlib.Path:
    return folder / "run/db.sock"


def own_name() -> str:
    return pwd.getpwuid(os.getuid()).pw_name
