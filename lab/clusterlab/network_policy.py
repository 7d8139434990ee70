"""What a cluster's network plugin makes of the NetworkPolicies of a manifest: rules of nftables on each host, which stands for a
pod of the job. Policies for incoming connections, by labels and ports."""

import yaml

OPENING = ("flush ruleset\ntable inet pods {\n chain input {\n  type filter hook input priority 0;\n  iif lo accept\n"
           "  ct state established,related accept\n")


def rules_of(manifest: str, addresses: list[str]) -> str:
    """For the hosts of these addresses."""
    documents = [one for one in yaml.safe_load_all(manifest) if one]
    labels = next(one["spec"]["template"]["metadata"]["labels"] for one in documents if one["kind"] == "Job")
    policies = [one["spec"] for one in documents if one["kind"] == "NetworkPolicy" and _selects(one["spec"], labels)]
    if not policies:
        return "flush ruleset\n"
    lines = [_line(rule, labels, addresses) for policy in policies for rule in policy.get("ingress") or []]
    return OPENING + "".join(f"  {line}\n" for line in lines if line) + "  drop\n }\n}\n"


def _selects(peer: dict, labels: dict) -> bool:
    wanted = (peer.get("podSelector") or {}).get("matchLabels") or {}
    return all(labels.get(key) == value for key, value in wanted.items())


def _line(rule: dict, labels: dict, addresses: list[str]) -> str:
    peers = rule.get("from")
    if peers and not any("podSelector" in peer and _selects(peer, labels) for peer in peers):
        return ""
    words = [f"ip saddr {{ {', '.join(addresses)} }}"] if peers else []
    ports = [str(port["port"]) for port in rule.get("ports") or []]
    words += [f"tcp dport {{ {', '.join(ports)} }}"] if ports else []
    return " ".join([*words, "accept"])
