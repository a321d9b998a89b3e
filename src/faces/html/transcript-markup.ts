/** The items of a transcript as markup. Long outputs are folded. Pure. */

import { formatBytes } from "../../core/bytes.ts";
import { plainText } from "../../text/safe/strip-terminal.ts";
import type {
	CommandItem,
	MessageItem,
	NoteItem,
	SaidItem,
	TranscriptItem,
	TurnItem,
} from "../../view/transcript/items.ts";
import {
	commandStanding,
	leftRunning,
	type Moment,
	messageHead,
	messageText,
	middleLeftOut,
	noteHead,
	type OutputFiles,
	resultText,
	turnFacts,
	turnStart,
} from "../../view/transcript/words.ts";
import { shortTime } from "../../view/words/clock-time.ts";
import { cutText, html, type Markup } from "./markup.ts";

const OPEN_LINES = 12; // a longer output is folded
const TEXT_ROOM = 4; // texts of a model have more room than outputs

export interface TranscriptPageView extends Moment, OutputFiles {
	/** How much room its texts have; 1 is the usual one. */
	readonly room: number;
}

export function itemMarkup(item: TranscriptItem, view: TranscriptPageView): Markup {
	switch (item.is) {
		case "turn":
			return turnMarkup(item, view);
		case "said":
			return saidMarkup(item, view.room);
		case "command":
			return commandMarkup(item, view);
		case "message":
			return messageMarkup(item, view.room);
		case "note":
			return noteMarkup(item, view.room);
		case "notice": {
			const { at, text, isTrouble } = item;
			return html`<p class="note">${timeOf(at)} ${isTrouble ? html`<span class="bad">${text}</span>` : text}</p>\n`;
		}
	}
}

/** `turn 2 14:38:45 took 2s · 1.2k in / 80 out`. */
function turnMarkup(item: TurnItem, view: TranscriptPageView): Markup {
	const at = turnStart(item);
	return html`<h4>turn ${item.turn} ${at === undefined ? undefined : timeOf(at)} <small>${turnFacts(item, view).join(" · ")}</small></h4>\n`;
}

function messageMarkup(item: MessageItem, room: number): Markup {
	const head = messageHead(item);
	const from = head === undefined ? undefined : html`<p class="note">${timeOf(item.at)} ${head}</p>`;
	return html`<blockquote>${from}<pre>${cutText(messageText(item), TEXT_ROOM * room)}</pre></blockquote>\n`;
}

function noteMarkup(item: NoteItem, room: number): Markup {
	const head = noteHead(item);
	if (head === undefined) return html``;
	const line = html`${timeOf(item.note.at)} ${head}`;
	if (item.text === "") return html`<p class="note">${line}</p>\n`;
	return html`<details class="note"><summary>${line}</summary><pre>${cutText(item.text, TEXT_ROOM * room)}</pre></details>\n`;
}

function saidMarkup({ kind, text }: SaidItem, room: number): Markup {
	switch (kind) {
		case "text":
			return html`<pre class="said">${cutText(text, TEXT_ROOM * room)}</pre>\n`;
		case "thinking":
			return html`<details class="thinking"><summary>thinking</summary><pre>${cutText(text, TEXT_ROOM * room)}</pre></details>\n`;
		case "command":
			return html`<pre class="call">${cutText(text, room)}</pre>\n`;
		case "other":
			return html`<p class="note">${text}</p>\n`;
	}
}

/** The end of the output of a command whose result is not recorded is in its file. */
function commandMarkup(item: CommandItem, view: TranscriptPageView): Markup {
	const { text, result, log, command } = item;
	const { room, tailOf } = view;
	const call = text === undefined ? undefined : html`<pre class="call">${cutText(text, room)}</pre>`;
	const tail = result !== undefined || command === undefined || log === undefined ? undefined : tailOf(log);
	const cut = tail?.isCut ? html`<p class="note">earlier output omitted</p>` : undefined;
	const output = outputMarkup(result === undefined ? plainText(tail?.text ?? "") : resultText(item), room);
	return html`<div class="command">${call}${cut}${output}${commandFacts(item, view, item.outputBytes ?? tail?.bytes)}</div>\n`;
}

/** `command 3: exit status 1 · 12s · 3 KiB printed · 1/out/0003.log · agents 1.1 1.2`. */
function commandFacts(item: CommandItem, view: TranscriptPageView, bytes: number | undefined): Markup | undefined {
	const { command, end, log } = item;
	const { words, took, isGood } = commandStanding(item, view);
	if (words === "") return undefined;
	const left = leftRunning(item);
	const children = item.children.map((child) => html` <a href="#agent-${child}">${child}</a>`);
	const parts = [
		html`${command === undefined ? undefined : `command ${command}: `}${end === undefined ? words : html`<span class="${isGood ? "good" : "bad"}">${words}</span>`}`,
		...(took === undefined ? [] : [took]),
		...(bytes === undefined ? [] : [`${formatBytes(bytes)} printed`]),
		...(log === undefined ? [] : [view.pathOf(log)]),
		...(children.length === 0 ? [] : [html`agents${children}`]),
		...(left === undefined ? [] : [left]),
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
