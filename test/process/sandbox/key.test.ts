/** The key to the model, looked for as an agent would; and the supervisor, which an agent would like to signal. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { startProgram, temporaryHome } from "../program.ts";
import { atLevel } from "./at-level.ts";
import { NO_SANDBOX, SKIPPED } from "./no-sandbox.ts";

const KEY = ["sk-ant-a-key", "of-a-test"].join("-"); // not as it is: this file may lie below /tmp, and be readable
/** A pattern that does not stand for itself: the command's own text is in its command line, its files and its memory. */
const PATTERN = "sk-ant-a-key-of-a-tes[t]";

/** Prints `found in …` for each place that has the key. $OUTSIDE: processes of the test, by their numbers outside. */
const HUNT = `
found() { echo "found in $*"; }
env | grep -q "${PATTERN}" && found environment
for p in /proc/[0-9]* /proc/self/task/*; do
  for file in environ cmdline comm status auxv; do grep -qa "${PATTERN}" $p/$file && found $p/$file; done
  for fd in $p/fd/*; do [ -f "$fd" ] && grep -qa "${PATTERN}" "$fd" && found $fd; done
done 2>/dev/null
perl -e '
  my $key = qr/sk-ant-a-key-of-a-tes[t]/;
  for my $p (glob("/proc/[0-9]*")) {
    next if $p eq "/proc/$$";
    open(my $maps, "<", "$p/maps") or next; open(my $mem, "<", "$p/mem") or next;
    while (<$maps>) {
      my ($from, $to) = /^([0-9a-f]+)-([0-9a-f]+) r/ or next; ($from, $to) = (hex $from, hex $to);
      next if $to - $from > 1 << 28 or $from > 0x7fffffffffff;
      sysseek($mem, $from, 0) or next; sysread($mem, my $bytes, $to - $from) or next;
      print "found in memory of $p\\n" if $bytes =~ $key;
    }
  }' 2>/dev/null
grep -rqa "${PATTERN}" "$HOME" "$AGENTREE_HOME" /tmp /var/tmp /dev/shm /run 2>/dev/null && found files
ulimit -c unlimited
for pid in $OUTSIDE; do
  [ -e /proc/$pid ] && grep -qa OUTSIDE_MARK /proc/$pid/environ && found "a process outside: $pid"
  for signal in ABRT QUIT SEGV TERM KILL; do [ -e /proc/$pid ] || kill -$signal $pid; done
done 2>/dev/null
find / -xdev -name "core*" -newer "$HOME/begin" -type f -size +100k 2>/dev/null | grep -q . && found "core dumps"
echo end`;

describe.skipIf(NO_SANDBOX !== undefined)(`the key${SKIPPED}`, () => {
	test.each([1, 3])("is nowhere to be found, and the supervisor is not ended: at level %i", async (level) => {
		const home = temporaryHome();
		const cwd = join(home, "project");
		mkdirSync(cwd);
		writeFileSync(join(home, "begin"), "");
		const shell = spawn("sleep", ["100"], { env: { ANTHROPIC_API_KEY: KEY, OUTSIDE_MARK: "1" } }); // the person's, with the key
		onTestFinished(() => void shell.kill("SIGKILL"));
		// The supervisor's own number is not known before it starts: it is read from the file by the command.
		const command = atLevel(level, `OUTSIDE=$(cat outside)\n${HUNT}`);
		const program = startProgram(
			[
				"run",
				"-q",
				"--sandbox",
				"workspace",
				"--model",
				"shell",
				`until [ -s outside ]; do sleep 0.02; done; ${command}`,
			],
			{ home, cwd, env: { ANTHROPIC_API_KEY: KEY } },
		);
		await program.waitForEvent((event) => event.event === "command_started");
		expect(readFileSync(`/proc/${program.pid}/environ`, "utf8")).toContain(KEY); // else nothing could be found
		writeFileSync(join(cwd, "outside"), `${program.pid} ${shell.pid} ${process.pid}`);
		const { code, signal, stdout } = await program.ended;
		expect([code, signal, stdout.toString()]).toEqual([0, null, "end\n"]);
		expect([shell.exitCode, shell.signalCode]).toEqual([null, null]);
	});
});
