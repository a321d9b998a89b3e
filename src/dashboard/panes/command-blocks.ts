/** A command as blocks: `$ command`, the agents that it started, its output, how it ended or how it goes. */
import type { AgentId } from "../../core/agent.ts";
import { formatBytes } from "../../core/bytes.ts";
import { type CommandEnd, describeCommandEnd } from "../../core/command.ts";
import type { ToldCommand } from "../../events/agent-story.ts";
import { formatDuration } from "../../text/durations.ts";
import type { CommandOutput } from "../scene/command-output.ts";
import { type Block, lineBlock, textBlocks } from "./block.ts";
import { pageKey } from "./place-keys.ts";

export interface CommandView {
	/** What of its output file is in memory; undefined: the result is shown, as far as there is one. */
	readonly output: CommandOutput | undefined;
	/** The agents that it started, in the order of their numbers. */
	readonly links: readonly AgentId[];
	/** How it goes; undefined when it has ended, or its agent has. */
	readonly going: string | undefined;
}

const MOST_LINKS = 50;
const OUTPUT = { tone: "plain", mark: "│ ", bar: "│ ", form: "code" } as const;

export function commandBlocks(key: string, told: ToldCommand, view: CommandView): Block[] {
	const { command } = told;
	return [
		...textBlocks(key, told.text ?? "", { tone: "strong", mark: "$ ", command }),
		...linkBlocks(key, view.links, command),
		...outputBlocks(key, told, view.output),
		endBlock(key, told, view.going),
	];
}

function linkBlocks(key: string, links: readonly AgentId[], command: number | undefined): Block[] {
	const shown = links.slice(0, MOST_LINKS).map((link) => lineBlock(`${key}>${link}`, "", "calm", { link, command }));
	const more = links.length - shown.length;
	return more > 0 ? [...shown, lineBlock(`${key}>more`, `${more} more`, "calm", { mark: "→ ", command })] : shown;
}

function outputBlocks(key: string, told: ToldCommand, output: CommandOutput | undefined): Block[] {
	if (told.command !== undefined && output !== undefined) return pageBlocks(told.command, output);
	return told.result === undefined ? [] : resultBlocks(key, told, told.result);
}

/** The pages that are in memory, and a line for each part between them that is not. */
function pageBlocks(command: number, { pages, last }: CommandOutput): Block[] {
	const blocks: Block[] = [];
	let next = 0;
	for (const { page, text } of pages) {
		if (page > next) blocks.push(unreadBlock(command, next, page - 1));
		if (text !== "") blocks.push({ ...OUTPUT, key: pageKey(command, page), text, command });
		next = page + 1;
	}
	if (next <= last) blocks.push(unreadBlock(command, next, last));
	return blocks;
}

function unreadBlock(command: number, first: number, last: number): Block {
	const rest = { command, unread: { first, last }, mark: "│ " };
	return lineBlock(pageKey(command, first), "… more output, which is being read", "dim", rest);
}

const LEFT_OUT = /\n\[\.\.\. the middle is left out: ([\d,]+) bytes[^\n]*\.\.\.\]\n/;

/** A long output has only its head and its tail in the result. A command that prints such a line itself gains nothing. */
function resultBlocks(key: string, { command, outputBytes = 0 }: ToldCommand, result: string): Block[] {
	const isWhole = outputBytes <= result.length;
	const found = isWhole ? null : LEFT_OUT.exec(result);
	if (found === null || Number(found[1]?.replaceAll(",", "")) !== outputBytes)
		return textBlocks(`${key}.output`, result, { ...OUTPUT, command });
	const head = result.slice(0, found.index);
	const tail = result.slice(found.index + found[0].length);
	const left = outputBytes - head.length - tail.length; // in bytes, as far as the ends are ASCII
	const middle = `… ${formatBytes(Math.max(0, left))} left out, o opens the whole`;
	return [
		...textBlocks(`${key}.output`, head, { ...OUTPUT, command }),
		lineBlock(`${key}.middle`, middle, "dim", { mark: "│ ", command }),
		...textBlocks(`${key}.tail`, tail, { ...OUTPUT, command }),
	];
}

/** `└ exit status 1, 12s`. */
function endBlock(key: string, { command, end, span }: ToldCommand, going: string | undefined): Block {
	const rest = { mark: "└ ", command, hasGap: true };
	if (end === undefined)
		return lineBlock(`${key}.end`, going ?? "no result", going === undefined ? "dim" : "busy", rest);
	const took = span === undefined || span.to === span.from ? "" : `, ${formatDuration(span.to - span.from)}`;
	return lineBlock(`${key}.end`, `${describeCommandEnd(end)}${took}`, isGood(end) ? "dim" : "bad", rest);
}

function isGood(end: CommandEnd): boolean {
	return end.by === "exit" && end.code === 0;
}
