/**
 * The keys of the blocks of a history. A key lasts as long as its history is shown. Where something live is recorded, or is
 * put aside, a reader's place goes over to the key of what stands for it from then on.
 */
import type { ModelDelta } from "../../../core/model/model.ts";
import type { TranscriptEntry } from "../../../core/model/transcript.ts";
import { type AgentHistory, isOfTurn } from "../scene/agent-history.ts";
import type { Scroll } from "../scene/ui-state.ts";

type At = Extract<Scroll, { is: "at" }>;

export const saidKey = (entry: number, block: number) => `said:${entry}.${block}`;
export const toldKey = (entry: number, text: number) => `told:${entry}.${text}`;
export const noteKey = (entry: number) => `note:${entry}`;
export const noteTextKey = (note: string) => `${note}.text`;
export const happenedKey = (at: number) => `happened:${at}`;
export const turnKey = (turn: number, startedAt: number) => `turn:${turn}@${startedAt}`;
export const callKey = (id: string) => `call:${id}`;
export const strayKey = (command: number | undefined) => `command:${command ?? ""}`;
export const liveKey = (turn: number, block: number) => `live:${turn}.${block}`;
export const brokenKey = (at: number, block: number) => `broken:${at}.${block}`;
export const pageKey = (command: number, page: number) => `output:${command}@${page}`;

/** A long text is several blocks. */
export const partKey = (key: string, part: number) => (part === 0 ? key : `${key}~${part}`);

/** The key of a text without that of its part, and what that adds to it. */
function withoutPart(key: string): [key: string, part: string] {
	const [, text = key, part = ""] = /^([^~]*)(~\d+)$/.exec(key) ?? [];
	return [text, part];
}

/** The page of a command's output in which a place is. */
export function pageOf(scroll: Scroll): { command: number; page: number } | undefined {
	const [, command, page] = scroll.is === "at" ? (/^output:(\d+)@(\d+)$/.exec(scroll.key) ?? []) : [];
	return command === undefined ? undefined : { command: Number(command), page: Number(page) };
}

/** What comes before the last part, which may be known only later. */
export function familyOf(key: string): string | undefined {
	const at = key.indexOf("@");
	return at < 0 ? undefined : key.slice(0, at + 1);
}

/** The place in the history with the entries added: what has streamed may be recorded in them. */
export function placeAfterRecord(scroll: Scroll, before: AgentHistory, added: readonly TranscriptEntry[]): Scroll {
	const { live } = before;
	if (scroll.is === "end" || live === undefined || !scroll.key.startsWith(`live:${live.turn}.`)) return scroll;
	const index = added.findIndex((entry) => isOfTurn(entry, live.turn));
	const entry = added[index];
	const number = before.firstEntry + before.entries.length + index;
	const [text, part] = withoutPart(scroll.key);
	const at = live.pieces.findIndex((piece, position) => liveKey(live.turn, piece.block ?? position) === text);
	if (entry?.role === "note") return placeInNote(scroll, noteKey(number), live.pieces.slice(0, Math.max(0, at)));
	if (entry?.role !== "assistant") return scroll;
	const block = live.pieces[at]?.block ?? at;
	const said = entry.content[block];
	const key = said?.type === "tool_use" ? callKey(said.id) : saidKey(number, Math.max(0, block));
	return { ...scroll, key: `${key}${part}` };
}

/** A note has all text of an answer that broke in one. */
function placeInNote(scroll: At, note: string, before: readonly ModelDelta[]): At {
	const texts = before.filter(({ kind }) => kind === "text");
	if (texts.length === 0) return { ...scroll, key: `${noteTextKey(note)}${withoutPart(scroll.key)[1]}` };
	const offset = texts.reduce((sum, { text }) => sum + text.length, scroll.offset);
	return { ...scroll, key: noteTextKey(note), offset };
}

/** The place when the answer that streams is put aside, since its call broke at `at`. */
export function placeAfterBreak(scroll: Scroll, { live }: AgentHistory, at: number): Scroll {
	if (scroll.is === "end" || live === undefined) return scroll;
	const [, block, part = ""] = /^live:\d+\.(\d+)(~\d+)?$/.exec(scroll.key) ?? [];
	return block === undefined ? scroll : { ...scroll, key: `${brokenKey(at, Number(block))}${part}` };
}
