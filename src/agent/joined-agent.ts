/** An agent that has joined, to its last byte of output. Loaded while the join is under way. */
import { basename, join as pathJoin } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { exitCodeOf } from "../core/errors.ts";
import { ROOT } from "../core/model/agent.ts";
import { BY_PERSON } from "../core/model/placeholder-texts.ts";
import { pipesDirectory, proxySocket } from "../core/run/pipe-path.ts";
import { awaitOwnCgroup, enterOwnCgroup } from "../processes/cgroups/run-cgroup.ts";
import { childProcess, closeInheritedFiles } from "../processes/child-process.ts";
import { openRegularWithin } from "../processes/open-within.ts";
import { bytesNotice } from "../project/config/not-utf8.ts";
import { temporarySocketPath } from "../project/config/user-directories.ts";
import { BUGS_FILE, type Bug } from "../terminal/bugs.ts";
import {
	CANNOT_WRITE,
	cannotWrite,
	complain,
	prepareToPrint,
	printAnswer,
	printable,
	printFile,
} from "../terminal/print.ts";
import { describeEnding } from "../text/describe-ending.ts";
import type { Joined } from "../wire/agent-messages.ts";
import { bubblewrapShell } from "./bash/bubblewrap-shell.ts";
import { ownProcessesEnder } from "./bash/command-processes.ts";
import { createPipes } from "./bash/pipe.ts";
import { type Sandbox, unconfined } from "./bash/start-shell.ts";
import { ToolCalls, type ToolCallsDeps } from "./bash/tool-calls.ts";
import { Compactor } from "./context/compaction.ts";
import { History } from "./context/history.ts";
import type { Restored } from "./context/restore.ts";
import { type LoopEnd, type LoopParts, runLoop } from "./loop.ts";
import type { AgentHost } from "./start/start-agent.ts";
import { type Notice, type SupervisorClient, userText } from "./supervisor-client.ts";

const FINISH_WITHIN_MS = 5_000; // the grace of its commands and a little more; the supervisor may be suspended
const LAST_WORDS_MS = 1_000; // for the reader of stdout, when the supervisor is gone
const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/** Resolves to the exit code, with which the caller exits. */
export async function runJoinedAgent(joined: Joined, client: SupervisorClient, host: AgentHost): Promise<number> {
	const entered = isInSandbox(joined)
		? enteredFromOutside(joined)
		: enterOwnCgroup(joined, { earlierMove: host.earlyMove });
	host.setTitle(`agent ${joined.agent}`);
	prepareToPrint();
	const pipes = createPipes(joined.sandbox?.pipesDirectory ?? pipesDirectory(host.socket), {
		owner: `${joined.agent}-${process.pid}`,
		given: joined.pipes,
		spare: pipesDirectory(temporarySocketPath(process.getuid?.() ?? 0, joined.run)),
	});
	setImmediate(() => {
		if (joined.agent === ROOT) closeInheritedFiles(); // all agents below come from it
		childProcess(); // what the first command needs, once the first request is sent: while the model thinks
		void pipes.prepare();
		const notice = bytesNotice(host.env);
		for (const words of [notice, ...(joined.notices ?? [])])
			if (words !== undefined) complain(`agent ${joined.agent}: ${words}`);
	});
	const endOwnProcesses = ownProcessesEnder(joined, host.table);
	host.bugs.file = bugsFile(joined);
	host.bugs.onBug = (bug) => endByBug(bug, { joined, client, endOwnProcesses });
	const stopListening = listenToSignals(client);
	client.onLost = () => void endOwnProcesses();
	const left: (() => Promise<void>)[] = [];
	const end = await runTurns(joined, { client, entered, host, pipes, left });
	pipes.discard();
	const notice = await client.finish(end.ending, end.ending.by === "answer" ? undefined : end.lastWords);
	if (client.isLost) await endOwnProcesses();
	if (joined.sandbox?.args.includes("--die-with-parent")) await Promise.all(left.map((endLeft) => endLeft()));
	stopListening();
	const exitCode = await printEnd(end, joined, client);
	if (notice !== undefined) complain(`agent ${joined.agent}: ${notice}`);
	return exitCode;
}

/** That of the run; a child agent in a sandbox writes to its own directory only. */
function bugsFile(joined: Joined): string {
	const { directory, agent } = joined;
	const up = isInSandbox(joined) ? [] : agent.split(".").map(() => "..");
	return pathJoin(directory, ...up, BUGS_FILE);
}

/** A child is started by a command of its parent, in the sandbox of that. */
function isInSandbox({ agent, sandbox }: Joined): boolean {
	return sandbox !== undefined && agent !== ROOT;
}

/** In a pid namespace of its own a command's processes are found without a cgroup. */
async function enteredFromOutside({ agent, sandbox }: Joined): Promise<void> {
	if (!sandbox?.args.includes("--unshare-pid")) await awaitOwnCgroup(agent);
}

interface TurnParts extends Pick<ToolCallsDeps, "pipes" | "left"> {
	readonly client: SupervisorClient;
	readonly entered: Promise<void>;
	readonly host: AgentHost;
}

async function runTurns(joined: Joined, { client, entered, host, pipes, left }: TurnParts): Promise<LoopEnd> {
	const history = new History((log) => pathJoin(joined.directory, log));
	const { firstMessage: first, lastWords, commands, answer } = await prepareHistory(history, joined, host);
	if (answer !== undefined && !joined.isConversation) return { ending: { by: "answer" }, lastWords: answer };
	const sandbox = sandboxOf(joined, host);
	setImmediate(() => sandbox.prepare?.());
	const calls = new ToolCalls({ joined, client, ...host, sandbox, pipes, left, entered, commandsBefore: commands });
	const compactor = new Compactor(client, history, joined);
	client.onStop = (ending) => calls.stop("reason" in ending ? ending.reason : ending.by);
	client.listen((notice) => take(notice, { client, history, compactor, calls }));
	const parts = { client, history, compactor, calls };
	return runLoop(parts, { first, words: { lastWords }, waits: joined.waits === true });
}

function take(notice: Notice, { client, history, compactor, calls }: LoopParts & { calls: ToolCalls }): void {
	switch (notice.say) {
		case "reply":
			return calls.begin(notice);
		case "permit":
			return calls.permit(notice.call, notice.refusal);
		case "pause":
			return calls.pause(notice.isPaused);
		case "children":
			return calls.childrenAlive(notice.command, notice.alive);
		case "out_of_time":
			return calls.stop(notice.reason);
		case "interrupt":
			return calls.stop(BY_PERSON);
		case "told":
			return history.add({ role: "user", content: [...notice.content] });
		case "history":
			return client.tell({ say: "history", messages: history.messagesSoFar });
		case "changed":
			compactor.change(notice);
			if (notice.isOtherModel) history.changeModel();
	}
}

function sandboxOf({ agent, sandbox, token }: Joined, host: AgentHost): Sandbox {
	if (sandbox === undefined) return unconfined;
	const { socket, loadNamespaces, loadExplainRefusal } = host;
	const { program, network, layers, filter } = sandbox;
	const isNested = agent !== ROOT && filter === undefined; // a child that was started outside of its parent's has a filter of its own
	const within = layers === undefined ? undefined : loadNamespaces().then(({ openLayers }) => openLayers(layers));
	if (network === undefined) return bubblewrapShell(sandbox, loadExplainRefusal, { owner: agent, within, isNested });
	const proxy = network === "proxy" ? { proxySocket: proxySocket(socket), token } : undefined;
	return bubblewrapShell(sandbox, loadExplainRefusal, {
		...{ owner: agent, isNested },
		network: loadNamespaces().then(async ({ openNetwork }) => openNetwork({ program, proxy, within: await within })),
	});
}

async function prepareHistory(
	history: History,
	joined: Joined,
	{ loadRestore }: AgentHost,
): Promise<Omit<Restored, "damage">> {
	const { resumed, agent, task } = joined;
	const said = task === "" ? [] : [task]; // a conversation may begin without words
	if (resumed === undefined) return { firstMessage: userText(...said), lastWords: "", commands: 0 };
	const { restore } = await loadRestore();
	const { damage, ...restored } = restore(history, joined, resumed);
	for (const what of damage) complain(`agent ${agent}: ${what}`);
	return restored;
}

/** A signal to the agent alone stops it: it ends its commands, prints what it has and exits. */
function listenToSignals(client: SupervisorClient): () => void {
	const listeners = Object.entries(SIGNALS).map(([name, signal]) => {
		const listener = () => client.stop({ by: "stopped", reason: `got ${name}`, signal });
		process.on(name, listener);
		return () => process.removeListener(name, listener);
	});
	return () => {
		for (const remove of listeners) remove();
	};
}

/** Prints the answer, or as much of it as there is, to stdout; without an answer also one line to stderr. */
async function printEnd(
	{ ending, output: file, ...end }: LoopEnd,
	joined: Joined,
	client: SupervisorClient,
): Promise<number> {
	const exitCode = exitCodeOf(ending);
	const isUnfit = end.isUnfit || (joined.hasSchema && client.stopped !== undefined);
	const lastWords = isUnfit ? "" : end.lastWords;
	if (!joined.printsAnswer) return exitCode;
	// Nobody may ever read stdout, and the run may not wait for that. Not by exit(): it waits for the thread that writes.
	const giveUp = () => process.kill(process.pid, "SIGKILL");
	client.onLost = giveUp;
	if (client.isLost) setTimeout(giveUp, LAST_WORDS_MS).unref();
	const output = joined.hasSchema ? undefined : file; // of what a command printed the checked JSON alone
	const openOutput = (path: string) => openRegularWithin(joined.directory, pathJoin("out", basename(path)));
	const printed =
		output === undefined ? await printAnswer(1, printable(lastWords)) : await printFile(1, () => openOutput(output));
	if (printed.is === "failed") {
		complain(cannotWrite(printed.reason, `${joined.run}/${joined.agent}`));
		return exitCode || CANNOT_WRITE;
	}
	const unfit =
		isUnfit && end.lastWords !== ""
			? `; its last text is not JSON that fits the schema; to see it: agent show ${joined.run}/${joined.agent}`
			: "";
	if (ending.by !== "answer") complain(`agent ${joined.agent}: ${describeEnding(ending)}${unfit}`);
	return exitCode;
}

/** The supervisor ends what the agent has started before it confirms `finish`; without a confirmation the agent ends it. */
async function endByBug(
	{ reason, line }: Bug,
	{
		joined,
		client,
		endOwnProcesses,
	}: { joined: Joined; client: SupervisorClient; endOwnProcesses: () => Promise<void> },
): Promise<void> {
	const finished = client.finish({ by: "crashed", reason }).then(() => !client.isLost);
	const isFinished = await Promise.race([finished, sleep(FINISH_WITHIN_MS, false)]);
	if (!isFinished) await endOwnProcesses();
	if (joined.printsAnswer) complain(`agent ${joined.agent}: crashed: ${line}`);
}
