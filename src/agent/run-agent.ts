/** One agent from its join to its last byte of output. Gives the exit code; the caller exits with it. */

import { join as pathJoin } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ending } from "../core/agent.ts";
import { EXIT, exitCodeOf } from "../core/exit-code.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import { enterOwnCgroup } from "../processes/run-cgroup.ts";
import type { Join, Joined } from "../protocol/agent-messages.ts";
import { BUGS_FILE, type Bug, type Bugs } from "../terminal/bugs.ts";
import { CANNOT_WRITE, cannotWrite, complain, prepareToPrint, print, printable, printFile } from "../terminal/print.ts";
import { describeEnding } from "../text/states.ts";
import { preparePipes } from "./bash/pipe.ts";
import { BASH_TOOL } from "./bash/tool.ts";
import { Calls } from "./bash/tool-calls.ts";
import { unconfined } from "./bash/unconfined.ts";
import { History } from "./context/history.ts";
import { systemPrompt } from "./context/prompt.ts";
import type { Restored } from "./context/restore.ts";
import { type LoopEnd, runLoop } from "./loop.ts";
import { ownProcessesEnder } from "./lost-supervisor.ts";
import { saying } from "./said.ts";
import { connectSupervisor, type SupervisorClient } from "./supervisor-client.ts";

export interface AgentHost {
	socket: string;
	env: Readonly<Record<string, string | undefined>>;
	table: ProcessTable;
	now: () => number;
	setTitle: (title: string) => void;
	/** Told here what to do in an agent that meets a bug. */
	bugs: Pick<Bugs, "onBug" | "file">;
	/** What only an agent that goes on needs. */
	loadRestore: () => Promise<Pick<typeof import("./context/restore.ts"), "restore">>;
}

const FINISH_WITHIN_MS = 5_000; // the grace of its commands and a little; the supervisor may be suspended
const LAST_WORDS_MS = 1_000; // for the reader, when no supervisor waits any more
const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

export async function runAgent(join: Join, host: AgentHost): Promise<number> {
	const link = await connectSupervisor(host.socket);
	if ("say" in link) return notStarted(EXIT.outOfReach, link.reason);
	const reply = await link.join(join);
	if (reply.say === "unreachable") return notStarted(EXIT.outOfReach, reply.reason);
	if (reply.say === "refused" && reply.code === "usage") return notStarted(EXIT.usage, reply.reason);
	if (reply.say === "refused") return notStarted(EXIT.notStarted, `not started: ${reply.reason}`);
	host.setTitle(`agent ${reply.agent}`);
	prepareToPrint();
	void preparePipes(reply.directory); // while the model thinks
	const endOwnProcesses = ownProcessesEnder(reply, host.table);
	host.bugs.file = pathJoin(reply.directory, ...reply.agent.split(".").map(() => ".."), BUGS_FILE);
	host.bugs.onBug = (bug) => endByBug(bug, { joined: reply, link, endOwnProcesses });
	const stopListening = listenToSignals(link);
	link.onLost = () => void endOwnProcesses();
	const end = await live(reply, link, host);
	await link.finish(end.ending, end.ending.by === "answer" ? undefined : end.lastWords);
	if (link.isLost) await endOwnProcesses();
	stopListening();
	return report(end, reply, link);
}

async function live(joined: Joined, link: SupervisorClient, host: AgentHost): Promise<LoopEnd> {
	const entered = enterOwnCgroup(joined);
	const history = new History((log) => pathJoin(joined.directory, log));
	const { opening, lastWords, commands, answer } = await begin(history, joined, host);
	if (answer !== undefined) return { ending: { by: "answer" }, lastWords: answer };
	const calls = new Calls({ joined, link, ...host, sandbox: unconfined, commandsBefore: commands });
	link.onChildren = (command, alive) => calls.childrenAlive(command, alive);
	link.onStop = (ending) => calls.stop("reason" in ending ? ending.reason : ending.by);
	return runLoop({
		link,
		history,
		opening,
		lastWords,
		system: systemPrompt(joined),
		tools: [BASH_TOOL],
		contextTokens: joined.contextTokens,
		compactAt: joined.compactAt,
		mayAnswerNothing: joined.answersBytes === true,
		runCalls: async (blocks) => {
			await entered; // what a command starts is in the group in which the agent is then
			return calls.run(blocks);
		},
		now: host.now,
	});
}

async function begin(history: History, joined: Joined, { loadRestore }: AgentHost): Promise<Omit<Restored, "damage">> {
	const { resumed, agent, task } = joined;
	if (resumed === undefined) return { opening: saying(task), lastWords: "", commands: 0 };
	const { restore } = await loadRestore();
	const { damage, ...restored } = restore(history, joined, resumed);
	for (const what of damage) complain(`agent ${agent}: ${what}`);
	return restored;
}

/** A signal to the agent alone: it ends its commands, says what it has, and goes. */
function listenToSignals(link: SupervisorClient): () => void {
	const listeners = Object.entries(SIGNALS).map(([name, signal]) => {
		const listener = () => link.stop({ by: "stopped", reason: `got ${name}`, signal });
		process.on(name, listener);
		return () => process.removeListener(name, listener);
	});
	return () => {
		for (const remove of listeners) remove();
	};
}

/** stdout: the answer, or what there is of one. stderr: one line when it is no answer. */
async function report({ ending, lastWords }: LoopEnd, joined: Joined, link: SupervisorClient): Promise<number> {
	const exitCode = exitCodeOf(ending);
	if (!joined.printsAnswer) return exitCode;
	// The reader may never come, and the run may not wait. Not by exit(): that waits for the thread that writes.
	const giveUp = () => process.kill(process.pid, "SIGKILL");
	link.onLost = giveUp;
	if (link.isLost) setTimeout(giveUp, LAST_WORDS_MS).unref();
	const printed = link.output === undefined ? await print(1, printable(lastWords)) : await printFile(1, link.output);
	if (printed.is === "failed") {
		complain(cannotWrite(printed.reason, `${joined.run}/${joined.agent}`));
		return exitCode || CANNOT_WRITE;
	}
	if (ending.by !== "answer") complain(`agent ${joined.agent}: ${describeForUser(ending)}`);
	return exitCode;
}

/** The supervisor ends what the agent has started, before it lets the agent go on; the agent does it for one that does not. */
async function endByBug(
	{ reason, line }: Bug,
	{ joined, link, endOwnProcesses }: { joined: Joined; link: SupervisorClient; endOwnProcesses: () => Promise<void> },
): Promise<void> {
	const finished = link.finish({ by: "crashed", reason }).then(() => !link.isLost);
	const isFinished = await Promise.race([finished, sleep(FINISH_WITHIN_MS, false)]);
	if (!isFinished) await endOwnProcesses();
	if (joined.printsAnswer) complain(`agent ${joined.agent}: crashed: ${line}`);
}

function describeForUser(ending: Ending): string {
	return "reason" in ending ? `${ending.by}: ${ending.reason}` : describeEnding(ending);
}

function notStarted(exitCode: number, reason: string): number {
	complain(`agent: ${reason}`);
	return exitCode;
}
