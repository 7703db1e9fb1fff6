#!/usr/bin/env python3
"""Checks closes of the books, and proofs of persons, as the guide "Books" describes them.

Usage:
  verify.py close FOLDER [FOLDER ...]   closes of consecutive days, oldest first
  verify.py proof FILE [ROOT ...]       a person's proof; its roots must be among those given, if any are
  verify.py batch                       reads lines {"close": [[close, postings], ...]} or {"proof": text, "roots": {day: root}},
                                        answers one line for each: "ok", or what is wrong

It needs Python 3.8 and its standard library alone. Exit code 1: something is wrong.
"""
import datetime
import hashlib
import json
import re
import sys
from decimal import Decimal
from pathlib import Path

BASE_UNITS = {"EUR": 18, "GBP": 18, "XDAI": 18, "USD": 6}
FORMAT = "cardkeep-close-1"
INTEGER = re.compile(r"^(0|-?[1-9][0-9]*)$")
DAY = re.compile(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")
HASH = re.compile(r"^[0-9a-f]{64}$")
DECIMAL = re.compile(r"^-?[0-9]+(\.[0-9]+)?$")
POSTING_KEYS = ["id", "type", "externalId", "cause", "effectiveOn", "period", "bookedAt", "reverses", "lines"]
LINE_KEYS = ["account", "currency", "amount", "reference"]
CLOSE_KEYS = ["format", "day", "timeZone", "previousDigest", "root", "postings", "lines", "accounts",
              "comparisons", "items", "resolved", "closedAt"]
ACCOUNT_KEYS = ["account", "currency", "opening", "movement", "closing"]
COMPARISON_KEYS = ["witness", "account", "currency", "witnessed", "booked", "difference"]
ITEM_KEYS = ["id", "witness", "account", "currency", "reference", "amount", "cause", "owner", "firstDay", "ageDays"]
PROOF_KEYS = ["day", "root", "count", "index", "leaf", "path"]


class Wrong(Exception):
    """What is wrong, in words."""


def require(condition, text):
    if not condition:
        raise Wrong(text)


def sha256(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


def hash_leaf(leaf):
    return sha256(b"\x00", leaf)


def hash_node(left, right):
    return sha256(b"\x01", left, right)


def no_twins(pairs):
    """A name that stands twice in an object could be read in two ways."""
    names = [name for name, _ in pairs]
    require(len(set(names)) == len(names), "an object has a name twice")
    return dict(pairs)


def parse(text, what):
    try:
        return json.loads(text, object_pairs_hook=no_twins)
    except ValueError as error:
        raise Wrong(f"{what} is no JSON: {error}")


def require_keys(value, keys, what):
    require(isinstance(value, dict) and sorted(value) == sorted(keys), f"{what} has other fields than it should")


def integer(value, what):
    require(isinstance(value, str) and INTEGER.match(value) is not None, f"{what} is no whole number")
    return int(value)


def count_of(value, what):
    require(isinstance(value, int) and not isinstance(value, bool) and value >= 0, f"{what} is no count")
    return value


def day_of(value, what):
    require(isinstance(value, str) and DAY.match(value) is not None, f"{what} is no day")
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        raise Wrong(f"{what} is no day")


def text_of(value, what):
    require(isinstance(value, str) and value != "", f"{what} is missing")
    return value


class Tree:
    """A Merkle tree that grows: the roots of its complete subtrees, with their sizes."""

    def __init__(self):
        self.roots = []

    def add(self, leaf):
        node, size = hash_leaf(leaf), 1
        while self.roots and self.roots[-1][1] == size:
            left, _ = self.roots.pop()
            node, size = hash_node(left, node), 2 * size
        self.roots.append((node, size))

    def root(self):
        if not self.roots:
            return sha256(b"").hex()
        node = self.roots[-1][0]
        for left, _ in reversed(self.roots[:-1]):
            node = hash_node(left, node)
        return node.hex()


def check_posting(leaf, what):
    """A posting of its own: its fields, and lines that sum to zero."""
    posting = parse(leaf, what)
    require_keys(posting, POSTING_KEYS, what)
    for name in ["type", "externalId", "cause", "bookedAt"]:
        text_of(posting[name], f"{name} of {what}")
    effective, period = day_of(posting["effectiveOn"], what), day_of(posting["period"], what)
    require(effective <= period, f"{what} is effective after its period")
    if posting["reverses"] is not None:
        integer(posting["reverses"], f"reverses of {what}")
    require(isinstance(posting["lines"], list) and len(posting["lines"]) >= 2, f"{what} has less than two lines")
    sums = {}
    for line in posting["lines"]:
        require_keys(line, LINE_KEYS, f"a line of {what}")
        amount = integer(line["amount"], f"an amount of {what}")
        require(amount != 0, f"{what} has a line of nothing")
        account, currency = text_of(line["account"], what), text_of(line["currency"], what)
        require(currency in BASE_UNITS, f"{what} has an unknown currency")
        require(account.endswith(":" + currency), f"{what} has an account of another currency")
        require(line["reference"] is None or isinstance(line["reference"], str), f"a reference of {what} is no text")
        sums[currency] = sums.get(currency, 0) + amount
    for currency, total in sums.items():
        require(total == 0, f"{what} does not sum to zero in {currency}")
    return posting


def split_lines(text):
    """The leaves of a file: every line ends with a line break."""
    if text == b"":
        return []
    require(text.endswith(b"\n"), "the last posting has no line break")
    return text[:-1].split(b"\n")


def check_postings(leaves, close, seen):
    """Every posting of a day: root, counts, zero sums. Returns what each account moved."""
    tree, last, lines, moved = Tree(), None, 0, {}
    for number, leaf in enumerate(leaves, 1):
        what = f"posting {number}"
        posting = check_posting(leaf, what)
        identity = integer(posting["id"], f"the id of {what}")
        require(last is None or identity > last, f"the id of {what} does not rise")
        last = identity
        require(posting["period"] == close["day"], f"{what} is of another day")
        event = (posting["type"], posting["externalId"])
        require(event not in seen, f"{what} books an event twice")
        seen.add(event)
        for line in posting["lines"]:
            lines += 1
            key = (line["account"], line["currency"])
            moved[key] = moved.get(key, 0) + int(line["amount"])
        tree.add(leaf)
    require(len(leaves) == count_of(close["postings"], "postings"), "the number of postings is not that of the close")
    require(lines == count_of(close["lines"], "lines"), "the number of lines is not that of the close")
    require(tree.root() == close["root"], "the root is not that of the postings")
    return moved


def index_rows(rows, keys, names, what):
    """Rows of a list by their names, each once."""
    require(isinstance(rows, list), f"{what} is no list")
    found = {}
    for row in rows:
        require_keys(row, keys, f"a row of {what}")
        key = tuple(text_of(row[name], f"{name} in {what}") for name in names)
        require(key not in found, f"{what} has {' '.join(key)} twice")
        found[key] = row
    return found


def check_accounts(close, moved, previous):
    accounts = index_rows(close["accounts"], ACCOUNT_KEYS, ["account"], "accounts")
    names = [row["account"] for row in close["accounts"]]
    require(names == sorted(names), "accounts are not sorted")
    earlier = index_rows(previous["accounts"], ACCOUNT_KEYS, ["account"], "accounts") if previous else {}
    for key in earlier:
        require(key in accounts, f"{key[0]} of the day before is missing")
    for (account, currency) in moved:
        require((account,) in accounts, f"{account} has lines and is missing")
        require(accounts[(account,)]["currency"] == currency, f"{account} has another currency")
    for key, row in accounts.items():
        require(row["account"].endswith(":" + str(row["currency"])), f"{key[0]} has another currency than its name")
        opening, movement, closing = (integer(row[name], f"{name} of {key[0]}") for name in ["opening", "movement", "closing"])
        require(movement == moved.get((row["account"], row["currency"]), 0), f"the movement of {key[0]} is not that of its lines")
        require(opening + movement == closing, f"the closing of {key[0]} does not follow")
        if previous is not None:
            before = int(earlier[key]["closing"]) if key in earlier else 0
            require(opening == before, f"the opening of {key[0]} is not the closing of the day before")


def check_comparisons(close, previous):
    comparisons = index_rows(close["comparisons"], COMPARISON_KEYS, ["witness", "account"], "comparisons")
    earlier = index_rows(previous["comparisons"], COMPARISON_KEYS, ["witness", "account"], "comparisons") if previous else {}
    for key in earlier:
        require(key in comparisons, f"the comparison {' '.join(key)} of the day before is missing")
    items = index_rows(close["items"], ITEM_KEYS, ["id"], "items")
    sums = {}
    day = day_of(close["day"], "day")
    for item in items.values():
        key = (item["witness"], item["account"])
        require(key in comparisons, f"item {item['id']} has no comparison")
        require(item["currency"] == comparisons[key]["currency"], f"item {item['id']} has another currency")
        require(item["id"] == f"{item['witness']} {item['account']} {item['reference']}", "an item has another id")
        amount = integer(item["amount"], f"amount of item {item['id']}")
        require(amount != 0, f"item {item['id']} is of nothing")
        for name in ["cause", "owner"]:
            text_of(item[name], f"{name} of item {item['id']}")
        age = (day - day_of(item["firstDay"], f"firstDay of item {item['id']}")).days
        require(age >= 0 and age == count_of(item["ageDays"], "ageDays"), f"item {item['id']} has another age")
        sums[key] = sums.get(key, 0) + amount
    for key, row in comparisons.items():
        name = " ".join(key)
        require(row["account"].endswith(":" + str(row["currency"])), f"{name} has another currency than its account")
        witnessed, booked, difference = (integer(row[part], f"{part} of {name}") for part in ["witnessed", "booked", "difference"])
        require(sums.get(key, 0) == difference, f"the items of {name} do not come to its difference")
        if previous is not None:
            before = int(earlier[key]["difference"]) if key in earlier else 0
            require(before + witnessed - booked == difference, f"the difference of {name} does not follow")
    require(isinstance(close["resolved"], list), "resolved is no list")
    known = {item["id"] for item in previous["items"]} if previous else None
    open_now = {item["id"] for item in items.values()}
    for name in close["resolved"]:
        require(name not in open_now, f"{name} is both open and resolved")
        require(known is None or name in known, f"{name} is resolved and was not open")
    if known is not None:
        ended = set(close["resolved"])
        for name in known:
            require(name in open_now or name in ended, f"item {name} of the day before is gone")


def check_close(text, postings, previous=None, seen=None):
    """One close with its postings; `previous` is the text of the close before. Returns its digest."""
    close = parse(text, "close.json")
    require_keys(close, CLOSE_KEYS, "close.json")
    require(close["format"] == FORMAT, "close.json has another format")
    day = day_of(close["day"], "day")
    for name in ["timeZone", "closedAt"]:
        text_of(close[name], name)
    require(isinstance(close["root"], str) and HASH.match(close["root"]) is not None, "root is no hash")
    before = None
    if previous is not None:
        before = parse(previous, "the close before")
        require(close["previousDigest"] == hashlib.sha256(previous).hexdigest(), "previousDigest is not that of the day before")
        require(day_of(before["day"], "the day before") + datetime.timedelta(days=1) == day, "a day is missing")
    elif close["previousDigest"] is not None:
        require(HASH.match(str(close["previousDigest"])) is not None, "previousDigest is no hash")
    moved = check_postings(split_lines(postings), close, set() if seen is None else seen)
    check_accounts(close, moved, before)
    check_comparisons(close, before)
    compact = json.dumps(close, ensure_ascii=False, separators=(",", ":")).encode()
    require(compact == text, "close.json has spaces or is written in another way")
    return hashlib.sha256(text).hexdigest()


def check_closes(files):
    """Closes of consecutive days: pairs of close.json and postings.jsonl."""
    previous, seen, digests = None, set(), []
    for text, postings in files:
        digests.append(check_close(text, postings, previous, seen))
        previous = text
    return digests


def check_path(leaf, index, count, path, root, what):
    """RFC 9162, section 2.1.3.2."""
    require(0 <= index < count, f"the index of {what} is outside of its day")
    first, second, node = index, count - 1, hash_leaf(leaf)
    for text in path:
        require(isinstance(text, str) and HASH.match(text) is not None, f"a hash of the path of {what} is none")
        require(second > 0, f"the path of {what} is too long")
        beside = bytes.fromhex(text)
        if first & 1 or first == second:
            node = hash_node(beside, node)
            while first and not first & 1:
                first, second = first >> 1, second >> 1
        else:
            node = hash_node(node, beside)
        first, second = first >> 1, second >> 1
    require(second == 0, f"the path of {what} is too short")
    require(node.hex() == root, f"the path of {what} does not lead to the root")


def base_units(amount, currency, what):
    require(isinstance(amount, str) and DECIMAL.match(amount) is not None, f"an amount of {what} is none")
    units = Decimal(amount).scaleb(BASE_UNITS[currency])
    require(units == units.to_integral_value(), f"an amount of {what} has too many digits")
    return int(units)


def wanted_lines(statement, currency):
    """The lines that explain a statement: account, reference and amount."""
    wanted = []
    for number, entry in enumerate(statement["entries"], 1):
        amount = base_units(entry["amount"], currency, f"entry {number}")
        if entry["card"] is not None:
            wanted.append((f"settlement:{currency}", entry["hash"], -amount, f"entry {number}"))
        elif entry["kind"] == "iban_payment":
            wanted.append((f"safes:{currency}", entry["hash"], amount, f"entry {number}"))
    for number, item in enumerate(statement["cardItems"], 1):
        amount = base_units(item["amount"], currency, f"card item {number}")
        wanted.append((f"prefund:{currency}", item["id"], amount, f"card item {number}"))
    return wanted


def check_balances(statement, currency):
    """Entries lead from the opening to the closing balance."""
    balance = base_units(statement["openingBalance"], currency, "the statement")
    for number, entry in enumerate(statement["entries"], 1):
        balance += base_units(entry["amount"], currency, f"entry {number}")
        require(balance == base_units(entry["balance"], currency, f"entry {number}"), f"the balance of entry {number} does not follow")
    require(balance == base_units(statement["closingBalance"], currency, "the statement"), "the closing balance does not follow")
    total = sum(base_units(item["amount"], currency, "a card item") for item in statement["cardItems"])
    require(total == base_units(statement["cardTotal"], currency, "the statement"), "the total of the card items does not follow")


def check_proof(text, roots=None):
    """A person's proof. `roots` are those of closed days that are known from elsewhere, by the day."""
    proof = parse(text, "the proof")
    require_keys(proof, ["statement", "proofs"], "the proof")
    statement = proof["statement"]
    require(isinstance(statement, dict) and statement.get("currency") in BASE_UNITS, "the statement has no known currency")
    currency = statement["currency"]
    check_balances(statement, currency)
    lines, places = {}, set()
    for number, row in enumerate(proof["proofs"], 1):
        what = f"proof {number}"
        require_keys(row, PROOF_KEYS, what)
        leaf = text_of(row["leaf"], what).encode()
        index, count = count_of(row["index"], what), count_of(row["count"], what)
        require(isinstance(row["path"], list), f"the path of {what} is no list")
        require((row["day"], index) not in places, f"{what} stands twice")
        places.add((row["day"], index))
        check_path(leaf, index, count, row["path"], row["root"], what)
        if roots is not None:
            require(roots.get(row["day"]) == row["root"], f"the root of {what} is not that of its day")
        posting = check_posting(leaf, what)
        require(posting["period"] == row["day"], f"{what} is of another day")
        for line in posting["lines"]:
            key = (line["account"], line["reference"], int(line["amount"]))
            lines[key] = lines.get(key, 0) + 1
    for account, reference, amount, what in wanted_lines(statement, currency):
        key = (account, reference, amount)
        require(lines.get(key, 0) > 0, f"{what} of the statement has no posting")
        lines[key] -= 1
    return len(proof["proofs"])


def read_folder(folder):
    path = Path(folder)
    return (path / "close.json").read_bytes(), (path / "postings.jsonl").read_bytes()


def run_batch():
    for line in sys.stdin:
        task = json.loads(line)
        try:
            if "close" in task:
                check_closes([(close.encode(), postings.encode()) for close, postings in task["close"]])
            else:
                check_proof(task["proof"], task.get("roots"))
            print("ok")
        except (Wrong, KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            print(f"{type(error).__name__}: {error}")


def main(words):
    try:
        if words[:1] == ["close"] and len(words) > 1:
            for folder, digest in zip(words[1:], check_closes([read_folder(folder) for folder in words[1:]])):
                print(f"{folder}: digest {digest}")
        elif words[:1] == ["proof"] and len(words) > 1:
            text = Path(words[1]).read_bytes()
            roots = set(words[2:])
            days = {row["day"]: row["root"] for row in json.loads(text)["proofs"] if not roots or row["root"] in roots}
            print(f"{check_proof(text, days)} postings lead to their roots, and explain the statement")
        elif words == ["batch"]:
            run_batch()
        else:
            print(__doc__)
            return 2
    except (Wrong, OSError) as error:
        print(f"wrong: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
