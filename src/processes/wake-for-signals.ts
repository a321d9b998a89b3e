/**
 * Wakes a stopped process for signals. The kernel gives a process that is stopped (Ctrl-Z) no signal but KILL and CONT: each
 * other one waits until it goes on, so whoever ends it with TERM would wait, too.
 */
import { absolutePath } from "../core/machine/absolute-path.ts";
import { childProcess } from "./child-process.ts";
import { hasProc } from "./table/open-table.ts";

const NAME = "agent wake-for-signals"; // in the process table
const LOOK_SECONDS = 0.5;

/**
 * Bash reads its stdin, which is a pipe from this process: its end means that this process is over or goes on. Until then it
 * looks for waiting signals, and starts no process for that.
 */
const SCRIPT = `
while :; do
	read -r -t ${LOOK_SECONDS} _
	[ $? -gt 128 ] || exit
	waiting=0
	while read -r name value; do
		case $name in SigPnd:|ShdPnd:) waiting=$((waiting | 16#$value)) ;; esac
	done <"/proc/$1/status"
	[ $((waiting & $2)) -eq 0 ] || kill -CONT "$1"
done`;

/**
 * Starts a process outside of this one's group that sends this process CONT when one of the signals waits for it. Returns what
 * ends it; it also ends with this process. Does nothing where there is no /proc: waiting signals are not told there.
 */
export function wakeForSignals(signals: readonly number[], path: string): () => void {
	if (!hasProc()) return () => {};
	const mask = signals.reduce((bits, signal) => bits | (1 << (signal - 1)), 0);
	const waker = childProcess().spawn("bash", ["-c", 'eval "$SCRIPT"', NAME, String(process.pid), String(mask)], {
		...{ argv0: NAME, detached: true, stdio: ["pipe", "ignore", "ignore"], env: { PATH: absolutePath(path), SCRIPT } },
	});
	waker.on("error", () => {}); // no bash, or no room for a process: signals wait
	waker.stdin?.on("error", () => {}); // EPIPE: it was killed
	waker.unref();
	return () => void waker.stdin?.destroy();
}
