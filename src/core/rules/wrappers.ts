/** Programs that run a command which stands behind their own words, and where it begins. Pure. */
import type { Assigned } from "./script.ts";

export interface Wrapper {
	/** Options that take the next word as their value. */
	readonly valued?: readonly string[];
	/** Words of its own before the command. */
	readonly operands?: number;
	/** Variables may be set before the command. */
	readonly sets?: true;
	/** The command may do more than it could without: who allows the command has not allowed this. */
	readonly widens?: true;
	/** A word of its own among its options. */
	readonly skips?: string;
	/** With one of them it runs no command. */
	readonly onlyLooks?: readonly string[];
}

const PRIVILEGED = [
	"-u",
	"-g",
	"-U",
	"-p",
	"-C",
	"-D",
	"-R",
	"-T",
	"-h",
	"-r",
	"-t",
	"--user",
	"--group",
	"--chdir",
	"--host",
];

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
	timeout: { valued: ["-s", "--signal", "-k", "--kill-after"], operands: 1 },
	nice: { valued: ["-n", "--adjustment"] },
	ionice: { valued: ["-c", "-n", "--class", "--classdata"] },
	nohup: {},
	setsid: {},
	stdbuf: { valued: ["-i", "-o", "-e", "--input", "--output", "--error"] },
	time: { valued: ["-f", "-o", "--format", "--output"] },
	command: { onlyLooks: ["-v", "-V"] },
	builtin: {},
	exec: { valued: ["-a"] },
	env: { valued: ["-u", "--unset", "-C", "--chdir", "-a", "--argv0"], sets: true, skips: "-" },
	taskset: { operands: 1 },
	chrt: { operands: 1 },
	flock: { valued: ["-w", "-E", "--timeout", "--wait", "--conflict-exit-code"], operands: 1 },
	sudo: { valued: PRIVILEGED, sets: true, widens: true },
	doas: { valued: ["-u", "-C"], widens: true },
	pkexec: { valued: ["--user"], widens: true },
	chroot: { operands: 1, widens: true },
	unshare: { widens: true },
	setpriv: { widens: true },
	strace: { valued: ["-o", "-e", "-p", "-s", "-u", "-E"], widens: true },
	ltrace: { valued: ["-o", "-e", "-p", "-s", "-u", "-n", "-l", "-A", "-D", "-a", "-F"], widens: true },
	runuser: { valued: ["-u", "--user", "-g", "--group", "-G", "-s", "--shell"], widens: true },
	nsenter: { valued: ["-t", "--target", "-S", "-G", "--setuid", "--setgid"], widens: true },
	fakeroot: { valued: ["-l", "-s", "-i", "-b"], widens: true },
	proot: { valued: ["-r", "-b", "-m", "-w", "-k"], widens: true },
	bwrap: { widens: true },
	firejail: { widens: true },
	"systemd-run": { valued: ["-p", "--property", "--unit", "-u", "-E", "--setenv"], widens: true },
	"dbus-run-session": {},
	"ssh-agent": { valued: ["-a", "-E", "-P", "-t"] },
	gtimeout: { valued: ["-s", "--signal", "-k", "--kill-after"], operands: 1 },
	gnice: { valued: ["-n", "--adjustment"] },
	numactl: { valued: ["-N", "-m", "-C", "-i", "-p"] },
	prlimit: { valued: ["-o", "--output"] },
	cgexec: { valued: ["-g"], widens: true },
	faketime: { valued: ["-f"], operands: 1 },
	eatmydata: {},
	catchsegv: {},
	caffeinate: { valued: ["-t", "-w"] },
	rlwrap: { valued: ["-f", "-H", "-s", "-C"] },
	unbuffer: {},
	entr: {},
	npx: { valued: ["-p", "--package", "-w", "--workspace"], widens: true },
	bunx: { widens: true },
	uvx: { valued: ["--from", "--with", "-p", "--python"], widens: true },
	parallel: { valued: ["-j", "--jobs", "-a", "--arg-file", "-I", "-N", "-n", "-S"], widens: true },
	hyperfine: { valued: ["-w", "-r", "-m", "-M", "-p", "-c", "-n", "-S", "-L"], widens: true },
	watch: { valued: ["-n", "--interval"] },
	busybox: {},
};

const XARGS = {
	valued: [
		"-I",
		"-n",
		"-P",
		"-L",
		"-d",
		"-E",
		"-s",
		"-a",
		"--max-args",
		"--max-procs",
		"--max-lines",
		"--max-chars",
		"--process-slot-var",
		"--eof",
		"--delimiter",
		"--arg-file",
	],
} as const;

export interface Wrapped {
	/** The command; empty: none. */
	readonly words: readonly string[];
	readonly assigned: readonly Assigned[];
	readonly widens: boolean;
}

/** The command that the words wrap; undefined when they wrap none. */
export function unwrapped(words: readonly string[]): Wrapped | undefined {
	const name = programOf(words[0] ?? "");
	const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
	if (wrapper === undefined) return undefined;
	if (wrapper.onlyLooks?.some((option) => words.includes(option))) return undefined;
	let at = afterOptions(words, wrapper.valued ?? []) + (wrapper.operands ?? 0);
	if (words[at] === wrapper.skips) at += 1;
	const assigned: Assigned[] = [];
	for (; wrapper.sets && /^[A-Za-z_]\w*=/.test(words[at] ?? ""); at++) {
		const text = words[at] ?? "";
		assigned.push({ name: text.split("=")[0] ?? "", text, written: text });
	}
	return { words: words.slice(at), assigned, widens: wrapper.widens === true || name === "busybox" };
}

/** What xargs runs, without what it adds; undefined: it is not xargs. */
export function ofXargs(words: readonly string[]): readonly string[] | undefined {
	return programOf(words[0] ?? "") === "xargs" ? words.slice(afterOptions(words, XARGS.valued)) : undefined;
}

/** The file name of a program: `/usr/bin/git` is git. */
export function programOf(word: string): string {
	return word.slice(word.lastIndexOf("/") + 1).replace(/\.exe$/i, "");
}

/** Where the options behind the first word end. */
export function afterOptions(words: readonly string[], valued: readonly string[]): number {
	let at = 1;
	for (; at < words.length; at++) {
		const word = words[at] ?? "";
		if (word === "--") return at + 1;
		if (!word.startsWith("-") || word === "-") return at;
		if (takesNext(word, valued)) at += 1;
	}
	return at;
}

/** Also the last one of short options in one word: `-iu root`. One before it takes the rest of its word: `-uroot`. */
function takesNext(word: string, valued: readonly string[]): boolean {
	if (valued.includes(word)) return true;
	const letters = /^-[A-Za-z]{2,}$/.test(word) ? word.slice(1).split("") : [];
	return letters.length > 0 && letters.findIndex((letter) => valued.includes(`-${letter}`)) === letters.length - 1;
}
