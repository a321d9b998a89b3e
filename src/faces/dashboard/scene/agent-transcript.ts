/** What the dashboard knows of the selected agent: the items of its transcript, and the output of its commands. Pure. */
import type { AgentId } from "../../../core/model/agent.ts";
import { cleanText } from "../../../text/safe/terminal-safe.ts";
import type { TranscriptItem } from "../../../view/transcript/items.ts";

export interface AgentTranscript {
	readonly agent: AgentId;
	/** Stands above the items; undefined while it is not read. */
	readonly task: string | undefined;
	/** Items that no longer change. The list is another one only when there are more of them. */
	readonly settled: readonly TranscriptItem[];
	/** The newest turn, and what came since. */
	readonly newest: readonly TranscriptItem[];
	/** The commands that have no result so far, or never will have one. */
	readonly openCommands: readonly number[];
	/** Bytes of the transcript before the first entry that is read. */
	readonly unreadBytes: number;
	/** By the number of the command. */
	readonly outputs: ReadonlyMap<number, CommandOutput>;
}

export function emptyTranscript(agent: AgentId): AgentTranscript {
	return { agent, task: undefined, settled: [], newest: [], openCommands: [], unreadBytes: 0, outputs: new Map() };
}

/** Adds what was read of a command's output; what is far from it is forgotten when there is too much. */
export function withOutput(transcript: AgentTranscript, command: number, read: CommandOutput): AgentTranscript {
	const outputs = new Map(transcript.outputs).set(command, withRead(transcript.outputs.get(command), read));
	const page = read.pages[0]?.page ?? read.last;
	return { ...transcript, outputs: trimOutputs(outputs, { command, page }) };
}

/** The words that stream: what a thinking agent does now; "" for none. */
export function lastWords({ newest }: AgentTranscript): string {
	const last = newest.findLast((item) => item.is === "said" && item.state === "streaming");
	return last?.is === "said" ? last.text.slice(-400) : "";
}

export interface OutputPage {
	readonly page: number;
	readonly text: string;
	/** It does not change any more. */
	readonly isWhole: boolean;
}

export interface CommandOutput {
	/** The size of the file when it was read last, and the number of its last page. */
	readonly bytes: number;
	readonly last: number;
	/** In order. */
	readonly pages: readonly OutputPage[];
}

/** More pages than a person has on the screen, of one command or of several. */
const MOST_PAGES = 48;

/** Adds what was read: each page as it is now. A file that has become shorter is another one. */
function withRead(output: CommandOutput | undefined, read: CommandOutput): CommandOutput {
	const known = output === undefined || read.bytes < output.bytes ? [] : output.pages;
	const pages = new Map(known.map((page) => [page.page, page]));
	for (const page of read.pages) pages.set(page.page, { ...page, text: cleanText(page.text).replace(/\n$/, "") });
	return { ...read, pages: [...pages.values()].sort((a, b) => a.page - b.page) };
}

/** The pages that have to be read when the file has grown: those that were not whole, and the last one. */
export function grownPages({ pages }: CommandOutput, last: number): number[] {
	const open = pages.filter(({ isWhole }) => !isWhole).map(({ page }) => page);
	return [...new Set([...open, last])];
}

/** Of all outputs, at most `most` pages: those of `near` that are nearest to its page, and the last pages of each. */
function trimOutputs(
	outputs: ReadonlyMap<number, CommandOutput>,
	near: { readonly command: number; readonly page: number },
	most = MOST_PAGES,
): ReadonlyMap<number, CommandOutput> {
	const all = [...outputs].flatMap(([command, { pages }]) => pages.map(({ page }) => ({ command, page })));
	if (all.length <= most) return outputs;
	const distance = ({ command, page }: { command: number; page: number }) =>
		command === near.command ? Math.abs(page - near.page) : isLast(outputs, command, page) ? 0 : most;
	const kept = new Set(
		all
			.sort((a, b) => distance(a) - distance(b))
			.slice(0, most)
			.map(nameOf),
	);
	return new Map(
		[...outputs].map(([command, output]) => [
			command,
			{ ...output, pages: output.pages.filter(({ page }) => kept.has(nameOf({ command, page }))) },
		]),
	);
}

function isLast(outputs: ReadonlyMap<number, CommandOutput>, command: number, page: number): boolean {
	return outputs.get(command)?.last === page;
}

function nameOf({ command, page }: { command: number; page: number }): string {
	return `${command}/${page}`;
}
