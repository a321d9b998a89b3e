/**
 * What a process of the program does first. Inside a run, `agent "task"` joins the run with what is in this bundle and in joined-agent.js, which hold no
 * SDK, no execa, no commander and no blessed. Anything else loads the full command line.
 */

import { readSync } from "node:fs";
import { AgentreeError, EXIT, usageError } from "../core/errors.ts";
import { certificatesFrom, type SupervisorAddress } from "../core/run/cookie.ts";
import type { CgroupMembership } from "../processes/cgroups/cgroup.ts";
import { SYSTEM_CLOCK } from "../processes/system-clock.ts";
import { openProcessTable } from "../processes/table/open-table.ts";
import { workingDirectory } from "../project/config/working-directory.ts";
import { Bugs } from "../terminal/bugs.ts";
import { complain, letGoOfLostTerminal, printLine } from "../terminal/print.ts";
import { parseChildLine } from "./start/child-args.ts";
import { discoverSupervisor } from "./start/discover-supervisor.ts";
import { type AgentHost, childJoin, resumeJoin, rootJoin, runAgent, type StartHost } from "./start/start-agent.ts";

// Without a listener SIGUSR1 makes Node open its debugger on a port, to every user of this machine. A supervisor holds the key.
process.on("SIGUSR1", () => {});

const bugs = new Bugs(SYSTEM_CLOCK.now);

/** What the entry point has begun, and what it loads later. */
interface Entry
	extends Pick<AgentHost, "earlyMove" | "loadJoinedAgent" | "loadNamespaces" | "loadRestore" | "loadExplainRefusal"> {
	/** The cgroup of this process. */
	group: CgroupMembership | undefined;
	loadTodo: () => Promise<typeof import("./commands/todo.ts")>;
	loadAsk: () => Promise<typeof import("./commands/ask.ts")>;
	/** That of package.json. */
	readVersion: () => string;
	/** Runs the full command line. */
	loadCommandLine: () => Promise<unknown>;
}

export function main(entry: Entry): void {
	letGoOfLostTerminal();
	run(process.argv.slice(2), entry).then(
		(exitCode) => {
			if (exitCode !== undefined) process.exit(exitCode);
		},
		(error: unknown) => {
			if (!(error instanceof AgentreeError)) return bugs.end(error);
			complain(`agent: ${error.message}`);
			process.exit(error.exitCode);
		},
	);
}

async function run(
	args: string[],
	{ group, loadCommandLine, loadTodo, loadAsk, readVersion, ...begun }: Entry,
): Promise<number | undefined> {
	const { env, pid } = process;
	if (process.platform === "win32") throw usageError("agentree needs a Unix: use WSL");
	if (args.length === 1 && (args[0] === "--version" || args[0] === "-V")) return printLine(readVersion());
	const isRoot = args[0] === "--as-root";
	const table = openProcessTable(env);
	const host: StartHost = {
		env,
		pid,
		cwd: () => workingDirectory(process.cwd),
		table,
		setTitle: (title) => {
			process.title = title;
		},
		bugs,
		...begun,
	};
	if (isRoot) {
		bugs.listen();
		await begun.loadJoinedAgent(); // its supervisor, too, is still starting
		return mayBegin() ? runAgent(rootJoin(host), env.AGENTREE_SOCKET ?? "", host) : EXIT.notStarted;
	}
	const supervisor = discoverSupervisor(process, table, group);
	const exitCode = supervisor && (await runInside(supervisor, args, { host, loadTodo, loadAsk }));
	if (exitCode !== undefined) return exitCode;
	Object.assign(env, certificatesFrom(env)); // for a process that this one starts: Node itself has read the variable
	await loadCommandLine();
	return undefined;
}

/** Waits for a byte on stdin, with which the supervisor lets the root agent begin. False: there is no supervisor any more. */
function mayBegin(): boolean {
	for (;;) {
		try {
			return readSync(0, new Uint8Array(1)) === 1;
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== "EINTR") return false;
		}
	}
}

/** What is asked inside a run, as far as this bundle and two small ones know it. Undefined: the full command line is asked. */
async function runInside(
	supervisor: SupervisorAddress,
	args: string[],
	{ host, loadTodo, loadAsk }: Pick<Entry, "loadTodo" | "loadAsk"> & { host: StartHost },
): Promise<number | undefined> {
	const [word, ...rest] = args;
	const small = word === "todo" ? (await loadTodo()).runTodo : word === "ask" ? (await loadAsk()).runAsk : undefined;
	const exitCode = await small?.(rest, supervisor);
	if (exitCode !== undefined) return exitCode;
	const line = parseChildLine(args);
	if (line.is === "other" || line.values["clean-git-env"] === true) return undefined;
	bugs.listen();
	const join = line.is === "start" ? childJoin(supervisor, line, host) : resumeJoin(supervisor, line, host);
	return runAgent(await join, supervisor.socket, host);
}
