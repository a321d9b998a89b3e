/** `agent show`: the transcript of one agent. */

import { join } from "node:path";
import type { Command } from "../../config/command-table.ts";
import { type AgentId, isOver, ROOT } from "../../core/agent.ts";
import type { RunState } from "../../core/run-state.ts";
import { totalsWithin } from "../../core/spending.ts";
import type { TranscriptEntry } from "../../core/transcript.ts";
import { followLines } from "../../store/follow.ts";
import { readLogTail } from "../../store/log-tail.ts";
import { forEachEntryInTurn, parseEntry } from "../../store/read-events.ts";
import { readAgentFile } from "../../store/read-run.ts";
import { agentDirectory, transcriptPath } from "../../store/run-directory.ts";
import { escapeJson, safeJson } from "../../text/safe-json.ts";
import { oneLine } from "../../text/terminal-safe.ts";
import { askedExports } from "../export/asked-exports.ts";
import { followRun } from "../io/follow-run.ts";
import { findRunFor, type Io, loadRunNow, orWarn, stateDirectoryFor, warn } from "../io/io.ts";
import { withProcessIo } from "../io/process-io.ts";
import { childrenLines, type HeaderView, headerLines, standing } from "../text/agent-header.ts";
import { LoggedCommands } from "../text/logged-commands.ts";
import { paintFor } from "../text/paint.ts";
import { agentAsJson, agentFileAsJson } from "../text/run-json.ts";
import { type OpenCommand, TranscriptText } from "../text/transcript-text.ts";

export const command: Command = ([ref], values) =>
	withProcessIo(async (io) => {
		const asked = askedExports(values);
		if (asked.length === 0) return show({ ref, json: values.json === true, follow: values.follow === true }, io);
		const { exportRun } = await import("../export/export-run.ts");
		return exportRun({ ref, asked, mayReplace: values.force === true }, io);
	});

export interface ShowOptions {
	/** A run without an agent: its root. */
	readonly ref?: string | undefined;
	/** Prints one object; with `follow` one message a line, as they come. */
	readonly json: boolean;
	/** Goes on printing until the agent has ended. */
	readonly follow: boolean;
	/** Undefined: the terminal and NO_COLOR decide. */
	readonly color?: boolean | undefined;
}

interface Shown {
	readonly directory: string;
	readonly agent: AgentId;
	readonly state: RunState;
	readonly header: HeaderView;
	readonly text: TranscriptText;
	readonly commands: LoggedCommands;
}

export async function show({ ref, json, follow, color }: ShowOptions, io: Io): Promise<number> {
	const { directory, agent = ROOT } = findRunFor(io, stateDirectoryFor(io), ref);
	if (json && !follow) return showJson(directory, agent, io);
	const { state, damage } = loadRunNow(directory);
	warn(io, damage);
	const file = readAgentFile(directory, agent);
	const paint = paintFor(color, io.isTTY, io.env.NO_COLOR);
	const commands = new LoggedCommands(directory, agent);
	const text = new TranscriptText({
		...{ paint, task: file.task, isLive: follow },
		commandOf: (command) => commands.of(command),
		commandOfCall: (id) => commands.ofCall(id),
		pathOf: (log) => pathOf(directory, agent, log),
	});
	const header = { paint, now: io.now(), columns: io.columns };
	const shown = { directory, agent, state, header, text, commands };
	if (!json) print(io, headerLines(file, state, header));
	return follow ? followShown(shown, json, io) : showAll(shown, io);
}

/** Prints one object, message by message: a transcript may be larger than memory. */
async function showJson(directory: string, agent: AgentId, io: Io): Promise<number> {
	const { state, damage: damagedEvents } = loadRunNow(directory);
	const known = state.agents[agent];
	const standing = known === undefined ? null : agentAsJson(state, known, totalsWithin(state, agent));
	const put = (text: string) => io.stdout(text);
	put(
		`{\n\t"agent": ${indented(agentFileAsJson(readAgentFile(directory, agent)), 1)},\n\t"standing": ${indented(standing, 1)},\n\t"messages": [`,
	);
	const recorded = new Set<number>();
	let separator = "";
	const damage = await forEachEntryInTurn(directory, agent, (entry, written) => {
		if (entry.role === "user") for (const { command } of entry.commands ?? []) recorded.add(command);
		put(`${separator}\n\t\t${indented(written, 2)}`);
		separator = ",";
		return io.drained?.();
	});
	warn(io, [...damagedEvents, ...damage]);
	const end = separator === "" ? "]" : "\n\t]";
	put(`${end},\n\t"open_commands": ${indented(openCommands(directory, agent, recorded), 1)}\n}\n`);
	return 0;
}

/** JSON of a value that stands in an object `level` levels deep. */
function indented(value: unknown, level: number): string {
	return safeJson(value, "\t").replaceAll("\n", `\n${"\t".repeat(level)}`);
}

/** The commands whose results are not recorded: their turn is not over, or never will be. */
function openCommands(directory: string, agent: AgentId, recorded: ReadonlySet<number>): object[] {
	const commands = new LoggedCommands(directory, agent);
	commands.refresh();
	const open = commands.all().filter(({ command }) => !recorded.has(command));
	return open.map(({ command, text, log, startedAt, ended }) => ({
		...{ command, text, log, started_at: startedAt, ended_at: ended?.at ?? null },
		...{ end: ended?.end ?? null, output_bytes: ended?.outputBytes ?? null },
	}));
}

async function showAll(shown: Shown, io: Io): Promise<number> {
	const { directory, agent, state, header } = shown;
	const damage = await forEachEntryInTurn(directory, agent, (entry) => {
		showEntry(entry, shown, io);
		return io.drained?.();
	});
	warn(io, damage);
	showRest(shown, state, io);
	print(io, childrenLines(state, agent, header));
	return 0;
}

/** The end of a command is in the event log before its result is in the transcript. */
function showEntry(entry: TranscriptEntry, { commands, text }: Shown, io: Io): void {
	if (entry.role === "user") commands.refresh();
	print(io, text.lines(entry));
}

/** Prints the commands of a turn that is not over, or never will be. */
function showRest({ directory, agent, commands, text }: Shown, state: RunState, io: Io): void {
	commands.refresh();
	const open = commands.all().filter(({ command }) => !text.isRecorded(command));
	const shown = open.map((logged): OpenCommand => {
		return { logged, tail: orWarn(io, () => readLogTail(directory, agent, logged.log)) };
	});
	const standing = state.agents[agent];
	print(io, text.rest(shown, standing === undefined || isOver(standing) ? undefined : io.now()));
}

/** Prints messages as the transcript gets them, until the event log says that there will be no more. */
async function followShown(shown: Shown, json: boolean, io: Io): Promise<number> {
	const { directory, agent } = shown;
	const over = new AbortController();
	const stop = () => over.abort();
	const { signal } = over;
	const onLines = (lines: string[]) => {
		for (const line of lines) showLine(line, json ? undefined : shown, io);
	};
	const damaged = (what: string) => warn(io, [what]);
	io.signal?.addEventListener("abort", stop);
	await Promise.all([
		followLines(transcriptPath(directory, agent), onLines, { signal }).finally(stop),
		followRun(directory, { agent, onEvent: () => {}, damaged, signal }).finally(stop),
	]);
	if (json) return 0;
	const { state } = loadRunNow(directory);
	showRest(shown, state, io);
	const ended = state.agents[agent];
	if (ended !== undefined) print(io, ["", ...standing(state, ended, io.now())]);
	return 0;
}

function showLine(line: string, shown: Shown | undefined, io: Io): void {
	const entry = parseEntry(line);
	if (entry === undefined) warn(io, ["transcript.jsonl: a line that is not a message, skipped"]);
	else if (shown === undefined) io.stdout(`${escapeJson(line)}\n`);
	else showEntry(entry, shown, io);
}

/** The path of a command's output file, made safe for a terminal: its name comes from a file. */
function pathOf(directory: string, agent: AgentId, log: string): string {
	return oneLine(join(agentDirectory(directory, agent), log));
}

function print(io: Io, lines: readonly string[]): void {
	if (lines.length > 0) io.stdout(`${lines.join("\n")}\n`);
}
