/** Writes a whole run, as it is now, to files that a person has named. */

import { resolve } from "node:path";
import { formatBytes } from "../../core/bytes.ts";
import { describeCommandEnd } from "../../core/command.ts";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { type Agent, isOver } from "../../core/model/agent.ts";
import { senderName } from "../../core/model/told-message.ts";
import { totalTokens } from "../../core/model/usage.ts";
import { preview } from "../../core/preview.ts";
import { agentsInOrder, type RunState } from "../../core/run/run-state.ts";
import { runPage } from "../../faces/html/run-page.ts";
import { atifTrajectory } from "../../faces/json/atif/atif-trajectory.ts";
import { exportedJson, readWholeRun, type WholeRun } from "../../faces/json/whole-run.ts";
import { type Io, warn } from "../../faces/print/io.ts";
import { RecordedRun } from "../../record/run-source.ts";
import { ordinal } from "../../text/numbers.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { describeEnding } from "../../text/states.ts";
import type {
	AgentTimeline,
	CommandSpan,
	Interval,
	PauseSpan,
	TurnEnd,
	TurnSpan,
} from "../../view/timeline/agent-timeline.ts";
import type { RunTimeline } from "../../view/timeline/run-timeline.ts";
import { findRunFor, stateDirectoryFor } from "../io/find-run.ts";
import type { ExportFormat, ExportOption } from "./export-options.ts";
import { checkFile, writeFile } from "./write-file.ts";

const STDOUT = "-";
const MOST_WARNINGS = 20;

/** The pieces of the file. Each of them is whole: no secret begins in one and ends in the next. */
const WRITERS: Readonly<Record<ExportFormat, (run: WholeRun) => Iterable<string>>> = {
	html: runPage,
	perfetto: chromeTrace,
	atif: atifTrajectory,
};

export interface ExportRun {
	readonly ref: string | undefined;
	readonly asked: readonly ExportOption[];
	/** A file that exists may be replaced. */
	readonly mayReplace: boolean;
}

/** The exit code. Throws AgentreeError before anything is written when one of the files may not be. */
export async function exportRun({ ref, asked, mayReplace }: ExportRun, io: Io): Promise<number> {
	const files = asked.map(({ format, path }) => ({
		format,
		path: path === STDOUT ? path : resolve(io.cwd, path),
	}));
	if (new Set(files.map(({ path }) => path)).size < files.length)
		throw new AgentreeError("usage", "each export needs its own FILE");
	for (const { path } of files) if (path !== STDOUT) checkFile(path, mayReplace);
	const { run, directory, agent } = findRunFor(io, stateDirectoryFor(io), ref);
	if (agent !== undefined)
		throw new AgentreeError(
			"usage",
			`--${asked[0]?.format} exports a whole run: agent show ${run} --${asked[0]?.format} FILE`,
		);
	const recorded = readWholeRun(new RecordedRun(directory), io);
	for (const { format, path } of files) {
		const pieces = WRITERS[format](recorded);
		if (path === STDOUT) await printAll(pieces, io);
		else io.stderr(`agent: wrote ${path}, ${formatBytes(await writeFile(path, pieces, mayReplace))}\n`);
	}
	warn(io, fewOf([...new Set(recorded.damage)]));
	return 0;
}

/** Of a run whose files are gone each agent has something to say. */
function fewOf(damage: readonly string[]): string[] {
	const more = damage.length - MOST_WARNINGS;
	return more <= 0 ? [...damage] : [...damage.slice(0, MOST_WARNINGS), `and ${more} more that could not be read`];
}

async function printAll(pieces: Iterable<string>, io: Io): Promise<void> {
	for (const piece of pieces) {
		if (io.signal?.aborted) return;
		io.stdout(piece);
		await io.drained?.();
	}
}

/**
 * A run in the JSON format of Chrome's tracing, which chrome://tracing and Perfetto show: a track an agent with its waits for
 * a slot, turns and commands; further tracks where its commands ran side by side and where it was paused, since slices of one
 * track may only lie within one another; messages are marks on the agent's track. Times are microseconds since the run's start. Pure.
 */

const PROCESS = 1; // the whole run is one process of the trace
const NAME_CHARS = 80;

export interface TracedRun {
	readonly state: RunState;
	readonly timeline: RunTimeline;
}

interface Slice extends Interval {
	readonly name: string;
	readonly cat: "queued" | "turn" | "retry" | "command" | "waiting" | "paused";
	readonly args?: object;
	/** Lie within it, one behind the other. */
	readonly inner?: readonly Slice[];
}

interface Track {
	readonly tid: number;
	readonly name: string;
	readonly slices: readonly Slice[];
}

/** The pieces of one JSON document. */
export function* chromeTrace({ state, timeline }: TracedRun): Generator<string> {
	const { run, task, model, startedAt } = state;
	const about = { run, task, model, started_at: new Date(startedAt).toISOString() };
	yield `{"displayTimeUnit":"ms","otherData":${exportedJson(about)},"traceEvents":[\n`;
	yield exportedJson(named("process_name", { name: `run ${run}: ${nameOf(task)}` }));
	for (const event of traceEvents({ state, timeline })) yield `,\n${exportedJson(event)}`;
	yield "\n]}\n";
}

function* traceEvents({ state, timeline }: TracedRun): Generator<object> {
	const micros = (at: number) => Math.max(0, at - state.startedAt) * 1_000;
	let tid = 0;
	for (const agent of agentsInOrder(state)) {
		const tracks = tracksOf(agent, timeline.agents.get(agent.id), tid + 1);
		tid += tracks.length;
		for (const track of tracks) yield* trackEvents(track, micros);
		const mark = { ph: "i", pid: PROCESS, tid: tracks[0]?.tid, s: "t" };
		for (const { from, sender, text, isDelivered, to } of timeline.agents.get(agent.id)?.messages ?? []) {
			const args = { text, ...(isDelivered && { delivered_after_ms: to - from }) };
			yield {
				...mark,
				ts: micros(from),
				name: nameOf(`message from ${senderName(sender)}: ${text}`),
				cat: "message",
				args,
			};
		}
		if (!isOver(agent)) continue;
		const name = nameOf(describeEnding(agent.state.ending));
		yield { ...mark, ts: micros(agent.state.at), name, cat: "ending", args: agent.state.ending };
	}
	for (const { at, queued, active, waiting, costUsd } of timeline.samples) {
		const counter = { ph: "C", pid: PROCESS, ts: micros(at) };
		yield { ...counter, name: "agents", args: { active, waiting, queued } };
		yield { ...counter, name: "cost in dollars", args: { usd: costUsd } };
	}
}

function* trackEvents({ tid, name, slices }: Track, micros: (at: number) => number): Generator<object> {
	yield named("thread_name", { name }, tid);
	yield named("thread_sort_index", { sort_index: tid }, tid);
	yield* sliceEvents(slices, tid, micros);
}

function* sliceEvents(slices: readonly Slice[], tid: number, micros: (at: number) => number): Generator<object> {
	for (const { from, to, name, cat, args = {}, inner = [] } of slices) {
		const ts = micros(from);
		yield { ph: "X", pid: PROCESS, tid, ts, dur: micros(to) - ts, name, cat, args };
		yield* sliceEvents(inner, tid, micros);
	}
}

/** The first track is the agent's own; there is one even for an agent that did nothing. */
function tracksOf(agent: Agent, timeline: AgentTimeline | undefined, firstTid: number): Track[] {
	const lanes = timeline === undefined ? [] : lanesOf(slicesOf(timeline));
	const [own = [], ...beside] = lanes;
	const tracks: [string, Slice[]][] = [
		[nameOf(agent.task), own],
		...beside.map((lane, at): [string, Slice[]] => [`parallel ${at + 2}`, lane]),
		...lanesOf((timeline?.pauses ?? []).map(pauseSlice)).map((lane): [string, Slice[]] => ["pauses", lane]),
	];
	return tracks.map(([name, slices], at) => ({ tid: firstTid + at, name: `${agent.id} ${name}`, slices }));
}

/** As few lanes as it takes for slices that do not overlap within one. When the system's time was set back, any may overlap. */
function lanesOf(slices: readonly Slice[]): Slice[][] {
	const lanes: Slice[][] = [];
	for (const slice of [...slices].sort((a, b) => a.from - b.from)) {
		const free = lanes.find((lane) => (lane.at(-1)?.to ?? slice.from) <= slice.from);
		if (free === undefined) lanes.push([slice]);
		else free.push(slice);
	}
	return lanes;
}

function pauseSlice({ from, to, isHard }: PauseSpan): Slice {
	return { from, to, name: isHard ? "paused and frozen" : "paused", cat: "paused" };
}

function slicesOf({ queued, turns, commands }: AgentTimeline): Slice[] {
	return [
		...queued.map(({ from, to }): Slice => ({ from, to, name: "queued", cat: "queued" })),
		...turns.map(turnSlice),
		...commands.map(commandSlice),
	];
}

function turnSlice({ from, to, turn, purpose, retries, end }: TurnSpan): Slice {
	const inner = retries.map((retry): Slice => {
		const name = nameOf(`waiting for the ${ordinal(retry.attempt)} retry: ${retry.reason}`);
		return { from: retry.from, to: retry.to, name, cat: "retry", args: { reason: retry.reason } };
	});
	const name = purpose === undefined ? `turn ${turn}` : "compaction";
	return { from, to, name, cat: "turn", args: end === undefined ? {} : turnFacts(end), inner };
}

function turnFacts(end: TurnEnd): object {
	if (end.by === "cut_off") return { ended_by: end.by };
	const { usage, costUsd } = end;
	const why = end.by === "failure" ? { reason: end.reason } : {};
	const what = end.by === "answer" ? { stop_reason: end.stopReason } : {};
	return { ended_by: end.by, ...what, ...why, tokens: totalTokens(usage), cost_usd: costUsd };
}

function commandSlice({ from, to, command, text, end, outputBytes, waits, children }: CommandSpan): Slice {
	const inner = waits.map((wait): Slice => ({ ...wait, name: "waiting for agents", cat: "waiting" }));
	const ended = end === undefined ? undefined : describeCommandEnd(end);
	const agents = children.length === 0 ? undefined : children.join(" ");
	const args = { command, text, ...defined({ end: ended, output_bytes: outputBytes, agents }) };
	return { from, to, name: nameOf(`$ ${text}`), cat: "command", args, inner };
}

function named(name: "process_name" | "thread_name" | "thread_sort_index", args: object, tid = 0): object {
	return { ph: "M", pid: PROCESS, tid, name, args };
}

function nameOf(text: string): string {
	return preview(oneLine(redactKnown(text)), NAME_CHARS); // before the cut: a part of a secret is one, too
}
