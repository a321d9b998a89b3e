/**
 * `agent wait`: waits until a run, or an agent of it, is over, and exits as that did, with its answer or its whole result where that
 * is asked for. It reads the run's files alone: so there may be any number of waiters, none costs the supervisor anything, and what
 * happens to that is seen, too.
 */

import { defined } from "../../core/defined.ts";
import { AgentreeError, exitCodeOf } from "../../core/errors.ts";
import { type AgentId, type Ending, isOver, isWithin, ROOT } from "../../core/model/agent.ts";
import { parseCookie } from "../../core/run/cookie.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { RunEvent } from "../../core/schemas/run-event.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import { WaitingNotices } from "../../faces/print/waiting-notices.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { type OptionValues, OUTPUT_FORMATS } from "../../project/config/option-table.ts";
import { type FoundRun, readableAgentFile } from "../../record/read-run.ts";
import { RecordedRun, type RunSnapshot, type RunSource, type SandboxedRun } from "../../record/run-source.ts";
import { toFile } from "../../record/spelling.ts";
import { type Printed, print } from "../../terminal/print.ts";
import { describeEnding } from "../../text/describe-ending.ts";
import { safeJson } from "../../text/safe/invisible.ts";
import { findRunFor, sandboxedRun, stateDirectoryFor } from "../io/find-run.ts";
import { exitCodeAfter, type PrintingCommand, printJson } from "../io/process-io.ts";
import { lastWordsIn, printLastWords } from "../result/last-words.ts";
import { resultLine } from "../result/result-line.ts";

/** What is printed of what is over: nothing, its ending, its answer, or its result. */
type Prints = "nothing" | "ending" | "text" | "json";

function whatToPrint(json: boolean, format: OptionValues[string]): Prints {
	if (format === undefined) return json ? "ending" : "nothing";
	if (json) throw new AgentreeError("usage", "--json and --output-format contradict each other: use one");
	if (format === "text") return "text";
	if (format === "json" || format === "stream-json") return "json";
	throw new AgentreeError("usage", `--output-format must be one of ${OUTPUT_FORMATS.join(", ")}, not "${format}"`);
}

interface End {
	readonly at: number;
	readonly ending: Ending;
	readonly exitCode: number;
}

/** The end, and the run as it was read then. */
interface EndOfRun extends End {
	readonly snapshot: RunSnapshot;
}

/** For a run without an agent: until nothing of the run lives any more. */
export const wait: PrintingCommand = async ([ref], { json, "output-format": format }, io) => {
	const prints = whatToPrint(json === true, format);
	const home = stateDirectoryFor(io);
	const hidden = sandboxedRun(io, home, ref);
	if (hidden !== undefined && (prints === "text" || prints === "json")) throw resultHidden(hidden);
	const found: FoundRun = hidden === undefined ? findRunFor(io, home, ref) : foundBehind(hidden);
	refuseAllButBelow(found, io);
	const end = await endOf(hidden ?? new RecordedRun(found.directory), found.agent, io);
	if (end === undefined) return 0;
	const { at, ending, exitCode } = end;
	const { run, agent = null } = found;
	if (prints === "ending") printJson(io, toFile({ run, agent, ending, exitCode, endedAt: at }));
	if (prints !== "text" && prints !== "json") return exitCode;
	const printed = await printResult(found, end, prints);
	if (ending.by !== "answer") io.stderr(`agent ${agent ?? ROOT}: ${describeEnding(ending)}\n`);
	return exitCodeAfter(printed, exitCode, run);
};

/** As the run itself would have printed it. */
async function printResult(
	{ directory, agent = ROOT }: FoundRun,
	{ snapshot: { state, file }, ...end }: EndOfRun,
	format: "text" | "json",
): Promise<Printed> {
	if (format === "text") return printLastWords(directory, state.agents[agent]?.model ?? file.model, agent);
	const { text } = await lastWordsIn(directory, agent);
	const settings = { ...file, ...defined({ jsonSchema: readableAgentFile(directory, agent)?.jsonSchema }) };
	const line = resultLine({ ...end, survivors: [] }, { settings, run: state, lastWords: text, agent });
	return print(1, `${safeJson(line)}\n`);
}

function resultHidden({ run }: SandboxedRun): AgentreeError {
	return new AgentreeError(
		"usage",
		`the files of run ${run} are hidden here, so agent wait cannot print a result; a child agent's answer is its command's output`,
	);
}

/** Inside a run an agent sees what is below it. It would wait forever for itself or one above it, and two siblings for each other. */
function refuseAllButBelow({ run, agent = ROOT }: FoundRun, { env }: Io): void {
	const own = parseCookie(env);
	if (own?.run !== run || own.agent === undefined || (isWithin(agent, own.agent) && agent !== own.agent)) return;
	throw new AgentreeError(
		"usage",
		`agent ${own.agent} cannot wait for agent ${agent}: an agent can only wait for agents below it`,
	);
}

/** The whole run ends after whoever waits for it inside. */
function foundBehind({ run, directory, agent, isNamed }: SandboxedRun): FoundRun {
	return isNamed ? { run, directory, agent } : { run, directory };
}

/** Undefined when nobody reads stdout any more. What was over may have gone on by the time that its state is read. */
async function endOf(source: RunSource, agent: AgentId | undefined, io: Io): Promise<EndOfRun | undefined> {
	const { run } = source;
	const waiting = new WaitingNotices(SYSTEM_CLOCK, (line) => io.stderr(`${line}\n`));
	const onEvent = (event: RunEvent) => waiting.onEvent(event, run);
	const following = { agent, onEvent, damaged: () => {}, signal: io.signal };
	for (;;) {
		if ((await source.follow(following)) === "aborted") return undefined;
		const snapshot = await source.snapshot();
		const { state, damage } = snapshot;
		if (agent !== undefined && state.agents[agent] === undefined)
			throw new AgentreeError("not_found", `run ${run} has no agent ${agent}; see agent ps`);
		const end = endIn(state, agent);
		if (end === undefined) continue;
		warn(io, damage);
		return { ...end, snapshot };
	}
}

function endIn({ ended, agents }: RunState, id: AgentId | undefined): End | undefined {
	if (id === undefined) return ended;
	const agent = agents[id];
	if (agent === undefined || !isOver(agent)) return undefined;
	const { at, ending } = agent.state;
	return { at, ending, exitCode: exitCodeOf(ending) };
}
