/** The items of an agent's story as markup. Long outputs are folded. Pure. */
import { formatBytes } from "../../core/bytes.ts";
import { describeCommandEnd } from "../../core/command.ts";
import type { NoteEntry } from "../../core/model/transcript.ts";
import { formatDuration } from "../../text/durations.ts";
import { plainText } from "../../text/safe/strip-terminal.ts";
import { middleLeftOut } from "../../text/tool-call.ts";
import type { StoryItem, ToldCommand, ToldTurn } from "../../view/agent-story.ts";
import { shortTime } from "../../view/clock-time.ts";
import { turnFacts, turnStart } from "../../view/turn-facts.ts";
import { describeNote } from "../../view/words/notes.ts";
import { cutText } from "./cut-text.ts";
import { html, type Markup } from "./markup.ts";

const OPEN_LINES = 12; // a longer output is folded
const TEXT_ROOM = 4; // texts of a model have more room than outputs

export interface HistoryView {
	/** How much room its texts have; 1 is the usual one. */
	readonly room: number;
	/** The agent will do no more. */
	readonly isOver: boolean;
	/** The path of a file of the agent below the run's directory: `out/0003.log` → `1/2/out/0003.log`. */
	readonly pathOf: (log: string) => string;
	/** The end of a command's output file; undefined when there is none. */
	readonly tailOf: (
		log: string,
	) => { readonly text: string; readonly isCut: boolean; readonly bytes: number } | undefined;
}

export function historyMarkup(item: StoryItem, view: HistoryView): Markup {
	switch (item.is) {
		case "happened": {
			const { at, text, isTrouble } = item.agentNotice;
			return html`<p class="note">${timeOf(at)} ${isTrouble ? html`<span class="bad">${text}</span>` : text}</p>\n`;
		}
		case "turn":
			return turnMarkup(item, view.isOver);
		case "said":
			return saidMarkup(item.block, view.room);
		case "told":
			return toldMarkup(item, view.room);
		case "note":
			return noteMarkup(item, view.room);
		case "command":
			return commandMarkup(item, view);
	}
}

/** `turn 2 14:38:45 took 2s · 1.2k in / 80 out`. */
function turnMarkup(told: ToldTurn, isOver: boolean): Markup {
	const at = turnStart(told);
	return html`<h4>turn ${told.turn} ${at === undefined ? undefined : timeOf(at)} <small>${turnFacts(told, isOver).join(" · ")}</small></h4>\n`;
}

function toldMarkup({ at, text, sender }: Extract<StoryItem, { is: "told" }>, room: number): Markup {
	const from = sender === undefined ? undefined : html`<p class="note">${timeOf(at)} message from ${sender}</p>`;
	return html`<blockquote>${from}<pre>${cutText(text, TEXT_ROOM * room)}</pre></blockquote>\n`;
}

/** A call that broke is told by its turn; of its note only what had come of the answer is new. */
function noteMarkup({ note, isKnown }: { note: NoteEntry; isKnown: boolean }, room: number): Markup {
	const isCall = note.note === "call" && note.outcome !== "compaction";
	const text = note.note === "compaction" ? note.summary : isCall ? (note.partial ?? "") : "";
	const line = html`${timeOf(note.at)} ${isKnown ? "what had come of the answer" : describeNote(note)}`;
	if (text === "") return isKnown ? html`` : html`<p class="note">${line}</p>\n`;
	return html`<details class="note"><summary>${line}</summary><pre>${cutText(text, TEXT_ROOM * room)}</pre></details>\n`;
}

function saidMarkup(block: Extract<StoryItem, { is: "said" }>["block"], room: number): Markup {
	switch (block.type) {
		case "text":
			return html`<pre class="said">${cutText(block.text, TEXT_ROOM * room)}</pre>\n`;
		case "thinking":
			return html`<details class="thinking"><summary>thinking</summary><pre>${cutText(block.thinking, TEXT_ROOM * room)}</pre></details>\n`;
		case "redacted_thinking":
			return html`<p class="note">thinking that the service does not show</p>\n`;
	}
	// A kind of block that this version does not know.
	return html`<p class="note">${String((block as { type?: unknown }).type)}</p>\n`;
}

function commandMarkup(told: ToldCommand, view: HistoryView): Markup {
	const call = told.text === undefined ? undefined : html`<pre class="call">${cutText(told.text, view.room)}</pre>`;
	return html`<div class="command">${call}${told.result === undefined ? openMarkup(told, view) : resultMarkup(told, told.result, view)}</div>\n`;
}

function resultMarkup(told: ToldCommand, result: string, view: HistoryView): Markup {
	return html`${outputMarkup(result, view.room)}${commandFacts(told, { view, bytes: told.outputBytes, how: "its end is not known" })}`;
}

function openMarkup(told: ToldCommand, view: HistoryView): Markup {
	const { tailOf, room, isOver } = view;
	if (told.span === undefined) return html`<p class="facts">not started</p>`;
	const tail = told.log === undefined ? undefined : tailOf(told.log);
	const cut = tail?.isCut ? html`<p class="note">earlier output is left out here</p>` : undefined;
	const output = tail === undefined ? undefined : outputMarkup(plainText(tail.text), room);
	const how = isOver ? "its end is not known" : "is running";
	return html`${cut}${output}${commandFacts(told, { view, bytes: told.outputBytes ?? tail?.bytes, how })}`;
}

interface Seen {
	readonly view: HistoryView;
	readonly bytes: number | undefined;
	/** How the command stands when it has no end. */
	readonly how: string;
}

/** `command 3: exit status 1 · 12s · 3 KiB printed · 1/out/0003.log · agents 1.1 1.2`. */
function commandFacts({ command, end, span, log }: ToldCommand, { view, bytes, how }: Seen): Markup {
	const isGood = end?.by === "exit" && end.code === 0;
	const ended =
		end === undefined ? how : html`<span class="${isGood ? "good" : "bad"}">${describeCommandEnd(end)}</span>`;
	const children = (span?.children ?? []).map((child) => html` <a href="#agent-${child}">${child}</a>`);
	const parts = [
		html`${command === undefined ? undefined : `command ${command}: `}${ended}`,
		...(span === undefined ? [] : [formatDuration(span.to - span.from)]),
		...(bytes === undefined ? [] : [`${formatBytes(bytes)} printed`]),
		...(log === undefined ? [] : [view.pathOf(log)]),
		...(children.length === 0 ? [] : [html`agents${children}`]),
	];
	return html`<p class="facts">${parts.map((part, at) => html`${at === 0 ? "" : " · "}${part}`)}</p>`;
}

function outputMarkup(text: string, room: number): Markup {
	const trimmed = text.replace(/\n+$/, "");
	if (trimmed === "") return html``;
	const lines = trimmed.split("\n", OPEN_LINES + 1).length;
	if (lines <= OPEN_LINES) return html`<pre class="output">${cutText(trimmed, room)}</pre>`;
	return html`<details><summary>${middleLeftOut(trimmed)?.lines ?? lineCount(trimmed)} lines</summary><pre class="output">${cutText(trimmed, room)}</pre></details>`;
}

function lineCount(text: string): number {
	let lines = 1;
	for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
	return lines;
}

function timeOf(at: number): Markup {
	return html`<time>${shortTime(at)}</time>`;
}
