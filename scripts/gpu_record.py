"""Writes and checks the record of a GPU run; called by gpu-test.sh and gpu-record.sh. Python 3 alone."""

import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SANITIZER_TOOLS = ("memcheck", "racecheck")
FOUND_ERRORS = 99


def nvidia_smi(field):
    query = ["nvidia-smi", "--query-gpu=" + field, "--format=csv,noheader"]
    return subprocess.run(query, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()


def run_program(program, arguments=(), wrapper=()):
    """Runs a test program; returns its exit status and its JSON report (None if it died before writing one)."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        command = [*wrapper, str(program), f"--gtest_output=json:{report}", "--gtest_brief=1", *arguments]
        status = subprocess.run(command, check=False).returncode
        return status, json.loads(report.read_text(encoding="utf-8")) if report.exists() else None


def outcomes(report):
    """(full name, passed | failed | skipped) of every test that was run."""
    for suite in report["testsuites"]:
        for test in suite["testsuite"]:
            name = f"{suite['name']}.{test['name']}"
            if test.get("failures"):
                yield name, "failed"
            elif test["result"] == "SKIPPED":
                yield name, "skipped"
            elif test["result"] == "COMPLETED":
                yield name, "passed"


def run_suite(programs):
    record = {"passed": 0, "failed": 0, "skipped": 0, "gpu_passed": 0, "failed_tests": [], "gpu_skipped_tests": []}
    digests = set()
    for program in programs:
        status, report = run_program(program)
        if report is None:
            record["failed"] += 1
            record["failed_tests"].append(f"{program.name} ended with status {status}")
            continue
        digests.add(report.get("source_digest", "none"))
        for name, outcome in outcomes(report):
            record[outcome] += 1
            if outcome == "failed":
                record["failed_tests"].append(name)
            if "cuda" in name.lower() and outcome == "skipped":
                record["gpu_skipped_tests"].append(name)
            if "cuda" in name.lower() and outcome == "passed":
                record["gpu_passed"] += 1
    return record, digests


def sanitize_filter(path):
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    return ":".join(["*sanitize*", "*Sanitize*", *(line for line in lines if line and not line.startswith("#"))])


def has_tests(program, pattern):
    listing = subprocess.run([str(program), "--gtest_list_tests", "--gtest_filter=" + pattern], capture_output=True,
                             text=True, check=True).stdout
    return any(line.startswith("  ") for line in listing.splitlines())


def run_sanitizer(tool, programs, pattern):
    result = {"tests": 0, "skipped": 0, "errors": 0, "failed": []}
    wrapper = ["compute-sanitizer", "--tool", tool, "--error-exitcode", str(FOUND_ERRORS)]
    for program in programs:
        if not has_tests(program, pattern):
            continue
        status, report = run_program(program, ["--gtest_filter=" + pattern], wrapper)
        for _, outcome in outcomes(report) if report else ():
            result["skipped" if outcome == "skipped" else "tests"] += 1
        if status != 0:
            result["errors"] += 1
            result["failed"].append(f"{program.name} ended with status {status}")
    return result


def faults(record):
    """Why the record is not clean; empty if it is."""
    tests = record["tests"]
    if tests["failed"]:
        yield f"{tests['failed']} tests failed"
    if not tests["gpu_passed"]:
        yield "no GPU test passed"
    if tests["gpu_skipped_tests"]:
        yield f"{len(tests['gpu_skipped_tests'])} GPU tests were skipped"
    if not re.fullmatch("[0-9a-f]{64}", record["source_digest"]):
        yield f"test programs of different or unknown sources ({record['source_digest']})"
    for tool in SANITIZER_TOOLS:
        result = record["sanitizers"].get(tool)
        if result is None:
            yield f"{tool} was not run"
        elif result["errors"]:
            yield f"{tool} found errors: {'; '.join(result['failed'])}"
        elif not result["tests"]:
            yield f"{tool} ran no test"


def write(arguments):
    programs = sorted(pathlib.Path(arguments.build, "bin").glob("*_tests"))
    if not programs:
        sys.exit(f"error: no test programs in {arguments.build}/bin")
    for program in pathlib.Path(arguments.build, "bin").iterdir():
        if not os.access(program, os.X_OK):  # carried files may have lost their mode
            program.chmod(0o755)
    tests, digests = run_suite(programs)
    record = {
        "device": nvidia_smi("name"),
        "driver": nvidia_smi("driver_version"),
        "date_utc": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M"),
        "source_digest": " ".join(sorted(digests)) or "none",
        "tests": tests,
        "sanitizers": {},
    }
    if shutil.which("compute-sanitizer"):
        pattern = sanitize_filter(pathlib.Path(arguments.filter))
        for tool in SANITIZER_TOOLS:
            record["sanitizers"][tool] = run_sanitizer(tool, programs, pattern)
    found = list(faults(record))
    record["clean"] = not found
    out = pathlib.Path(arguments.out)
    temporary = out.with_suffix(".partial")
    temporary.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    os.replace(temporary, out)
    for text in tests["failed_tests"] + [f"skipped: {name}" for name in tests["gpu_skipped_tests"]] + found:
        print(text)
    print(f"record written to {out}, {'clean' if record['clean'] else 'not clean'}")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**tests))
    return 0 if record["clean"] else 1


def check(arguments):
    path = pathlib.Path(arguments.record)
    if not path.exists():
        print(f"GPU record: missing ({path})")
        return 1
    record = json.loads(path.read_text(encoding="utf-8"))
    found = list(faults(record))
    print(f"GPU run of {record['date_utc']} on {record['device']}, driver {record['driver']}: "
          "{passed} passed, {failed} failed, {skipped} skipped".format(**record["tests"]))
    if record["source_digest"] != arguments.digest:
        found.append(f"it is of other sources ({record['source_digest'][:12]}, present are {arguments.digest[:12]})")
    print("GPU record: " + ("; ".join(found) if found else "of the present sources and clean"))
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    writer = commands.add_parser("write")
    writer.add_argument("--build", required=True)
    writer.add_argument("--filter", required=True)
    writer.add_argument("--out", required=True)
    writer.set_defaults(action=write)
    checker = commands.add_parser("check")
    checker.add_argument("--record", required=True)
    checker.add_argument("--digest", required=True)
    checker.set_defaults(action=check)
    arguments = parser.parse_args()
    return arguments.action(arguments)


if __name__ == "__main__":
    sys.exit(main())
