/**
 * The program's quick door. Inside a run, `agent "task"` is a child: it joins with what is in this one bundle, which
 * holds no SDK, no execa, no commander, no blessed. Everything else is for the whole command line, loaded only then.
 */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { workingDirectory } from "../config/working-directory.ts";
import { AgentreeError } from "../core/errors.ts";
import { openProcessTable } from "../processes/open-table.ts";
import { whyNotHere } from "../processes/platform.ts";
import { Bugs } from "../terminal/bugs.ts";
import { complain } from "../terminal/print.ts";
import { parseChildLine } from "./start/child-args.ts";
import { discoverSupervisor } from "./start/discover-supervisor.ts";
import { resumeChild, type StartHost, startChild, startRoot } from "./start-agent.ts";

// Else Node opens its debugger on a port, to every user of this machine; in a supervisor that holds the key, too.
process.on("SIGUSR1", () => {});

const bugs = new Bugs(Date.now);

async function main(args: string[]): Promise<number | undefined> {
	const { env, pid } = process;
	const obstacle = whyNotHere(process.platform);
	if (obstacle !== undefined) throw new AgentreeError("usage", obstacle);
	const table = openProcessTable(env);
	const host: StartHost = {
		env,
		pid,
		cwd: () => workingDirectory(process.cwd),
		table,
		now: Date.now,
		setTitle: (title) => {
			process.title = title;
		},
		bugs,
		loadRestore: () => import(pathToFileURL(join(__dirname, "restore.js")).href),
	};
	if (args[0] === "--as-root") {
		bugs.listen();
		return startRoot(env.AGENTREE_SOCKET ?? "", host);
	}
	const supervisor = discoverSupervisor(process, table);
	const line = supervisor === undefined ? undefined : parseChildLine(args);
	if (supervisor !== undefined && line !== undefined && line.is !== "other") {
		bugs.listen();
		return line.is === "start" ? startChild(supervisor, line, host) : resumeChild(supervisor, line, host);
	}
	await import(pathToFileURL(join(__dirname, "cli", "main.mjs")).href);
	return undefined;
}

main(process.argv.slice(2)).then(
	(exitCode) => {
		if (exitCode !== undefined) process.exit(exitCode);
	},
	(error: unknown) => {
		if (!(error instanceof AgentreeError)) return bugs.end(error);
		complain(`agent: ${error.message}`);
		process.exit(error.exitCode);
	},
);
