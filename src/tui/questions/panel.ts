/** The panel of a question that a person has turned to: what is asked, and below it the answers with their keys, which always stay. Pure. */
import { type AgentId, parentOf, withAncestors } from "../../core/model/agent.ts";
import type { Asked, Question } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { formatElapsed } from "../../text/durations.ts";
import { counted } from "../../text/numbers.ts";
import { visibleCommand, visibleText } from "../../text/safe/invisible.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { cleanText, oneLine } from "../../text/safe/terminal-safe.ts";
import { displayWidth, fitWidth } from "../../text/width/width.ts";
import { agentNames } from "../../view/agents/agent-names.ts";
import { whereOf } from "../../view/words/question.ts";
import { drawField } from "../editor/draw-editor.ts";
import { type Line, type Row, rowsOf, type Style, segment, wrapLine } from "../text/line.ts";
import { answerKeys, choicesOf, type OpenQuestion, type Scrolling, stopWords, type Wording } from "./open-question.ts";

interface PanelOf {
	readonly open: OpenQuestion;
	readonly run: Pick<RunState, "agents" | "questions" | "isConversation">;
	readonly now: number;
}

export interface Room {
	readonly columns: number;
	readonly rows: number;
}

export interface Panel {
	/** At most as many as there is room for, of at most so many columns. */
	readonly rows: readonly Line[];
	/** Where the person writes. */
	readonly cursor: { readonly row: number; readonly column: number } | undefined;
	readonly scrolling: Scrolling;
}

/** `Question 3 of agent 1.2 waits 12s, and 2 more` */
export function panelTitle({ open: { question, outcome }, run, now }: PanelOf): string {
	const more = othersThan(question, run);
	const waits = outcome === undefined ? `, waiting ${formatElapsed(now - question.at)}` : "";
	return `Question ${question.number} of agent ${question.agent}${waits}${more === 0 ? "" : ` (${more} more)`}`;
}

const EMPTY: Line = [];
/** One of what is asked, and one that says how much more there is. */
const LEAST_ASKED_ROWS = 2;

export function drawPanel({ open, run }: PanelOf, { columns, rows: most }: Room): Panel {
	const { question, at } = open;
	const spacious = askedRows({ question, run, at }, columns, false);
	const least = belowOf(open, run, { columns, rows: 1 }).rows.length;
	const isTight = spacious.rows.length + 1 + least > most;
	const asked = isTight ? askedRows({ question, run, at }, columns, true) : spacious;
	const below = belowOf(open, run, { columns, rows: most - asked.rows.length });
	const gap = isTight ? [] : [EMPTY];
	const count = Math.min(below.rows.length, Math.max(1, most - LEAST_ASKED_ROWS));
	const from = below.cursor === undefined ? 0 : Math.min(below.rows.length - count, below.cursor.row);
	const kept = below.rows.slice(from, from + count);
	const room = Math.max(0, most - kept.length - gap.length);
	const { shown, scrolling } = window(asked.rows, { room, columns, top: open.top, marked: asked.marked });
	const above = [...shown, ...gap];
	const cursor = below.cursor && { ...below.cursor, row: above.length + below.cursor.row - from };
	return { rows: [...above, ...kept], cursor, scrolling };
}

interface Window {
	readonly room: number;
	readonly columns: number;
	readonly top: number | undefined;
	readonly marked: readonly [number, number] | undefined;
}

/** As much as there is room for. The last row says what is left out. */
function window(
	rows: readonly Line[],
	{ room, columns, top, marked }: Window,
): { shown: readonly Line[]; scrolling: Scrolling } {
	if (rows.length <= room) return { shown: rows, scrolling: { top: 0, most: 0, page: room } };
	const page = Math.max(1, room - 1);
	const most = rows.length - page;
	const wanted = top ?? (marked === undefined ? 0 : Math.max(0, marked[1] - page));
	const from = Math.max(0, Math.min(most, wanted));
	const left = rows.length - from - page;
	const hidden = [...(left > 0 ? [`↓ ${counted(left, "more row")}`] : []), ...(from > 0 ? [`↑ ${from} above`] : [])];
	const text = `${hidden.join(", ")}: ${marked === undefined ? "↑↓ " : ""}PgUp PgDn`;
	const last = cut(text, "warn", columns);
	const shown = room < 2 ? rows.slice(from, from + room) : [...rows.slice(from, from + page), last];
	return { shown, scrolling: { top: from, most, page } };
}

interface Below {
	readonly rows: readonly Line[];
	readonly cursor?: { readonly row: number; readonly column: number };
}

const MOST_WRITTEN_ROWS = 5;

/** `room`: of the rows that what is asked leaves: where there are enough, each answer has one. */
function belowOf(open: OpenQuestion, run: PanelOf["run"], room: Room): Below {
	const { writing, outcome } = open;
	const others = othersThan(open.question, run);
	if (outcome !== undefined) {
		const next = others === 0 ? "" : " · Tab for the next question";
		return { rows: wrapped(`${visible(outcome)}. Esc to close${next}`, "warn", room.columns) };
	}
	if (writing === undefined) return { rows: keyRows(open, run, room) };
	const { rows, cursor } = drawField(writing.entry, { columns: room.columns, mostRows: MOST_WRITTEN_ROWS });
	const head = [
		...wrapped(writingLabel(writing.as, open, run), "heading", room.columns),
		...(writing.trouble === undefined ? [] : wrapped(writing.trouble, "bad", room.columns)),
	];
	return { rows: [...head, ...rows], cursor: { ...cursor, row: head.length + cursor.row } };
}

function othersThan({ number }: Question, { questions = [] }: PanelOf["run"]): number {
	return questions.filter((other) => other.number !== number).length;
}

function writingLabel(as: Wording, { question: { agent } }: OpenQuestion, run: PanelOf["run"]): string {
	switch (as) {
		case "no":
			return "No, with an optional reason (Enter to send, Esc to go back)";
		case "stop":
			return `No, and ${stopWords(agent, run)}, with an optional reason (Enter to stop, Esc to go back)`;
		case "words":
			return "Your answer (Enter to send, Esc to go back)";
	}
}

function keyRows({ question }: OpenQuestion, run: PanelOf["run"], { columns, rows }: Room): Line[] {
	const others = othersThan(question, run);
	const choices = choicesOf(question).length;
	const keys: { key: string; long: string; short: string }[] = [
		...(choices === 0
			? []
			: [{ key: `1-${Math.min(9, choices)}`, long: "or ↑↓ and Enter to choose", short: "or ↑↓ Enter" }]),
		...answerKeys(question, run).map(({ key, does, short }) => ({ key, long: does, short: visible(short) })),
		{ key: "Esc", long: "later", short: "later" },
		...(others === 0 ? [] : [{ key: "Tab", long: "next question", short: "next" }]),
	];
	const listed = keys.map(({ key, long }) => ({ key: `${key.padEnd(4)} `, long }));
	if (keys.length + 1 <= rows && listed.every(({ key, long }) => key.length + long.length <= columns))
		return listed.map(({ key, long }) => keyRow(key, long));
	return packed(
		keys.map(({ key, short }) => `${key} ${short}`),
		columns,
	);
}

function keyRow(key: string, does: string): Line {
	return [segment(key, "strong"), segment(does)];
}

/** As many as fit in a row, none broken. */
function packed(words: readonly string[], columns: number): Line[] {
	const rows: string[] = [];
	for (const word of words) {
		const before = rows.at(-1);
		const joined = before === undefined ? word : `${before}  ${word}`;
		if (before !== undefined && displayWidth(joined) <= columns) rows[rows.length - 1] = joined;
		else rows.push(word);
	}
	return rows.map((text) => [segment(fitWidth(text, columns), "strong")]);
}

function cut(text: string, style: Style, columns: number): Line {
	return wrapped(text, style, columns)[0] ?? EMPTY;
}

/**
 * What an agent asks, as rows: all of it can be read. A command stands there character by character, with what a terminal would
 * obey or not show written as what it is; a row that goes on in the next one says so. Pure.
 */

interface AskedRows {
	/** Who asks what. */
	readonly rows: readonly Line[];
	/** The rows of the marked choice: the first, and the one behind the last. */
	readonly marked: readonly [from: number, to: number] | undefined;
}

interface AskedOf {
	readonly question: Question;
	readonly run: Pick<RunState, "agents">;
	readonly at: number | undefined;
}

const LABEL_COLUMNS = 9;

/** What is asked comes first, then what else there is to know. `isTight`: without empty rows. */
function askedRows(asked: AskedOf, columns: number, isTight: boolean): AskedRows {
	const { question, at } = asked;
	const gap = isTight ? [] : [EMPTY];
	const what = whatRows(question, columns);
	const choices = choicesOf(question).map((choice, n) => choiceRows(choice, { n, isMarked: n === at }, columns));
	const before = what.length + gap.length;
	const rows = [...what, ...(choices.length > 0 ? gap : []), ...choices.flat(), ...gap, ...factRows(asked, columns)];
	const from = before + choices.slice(0, at).flat().length;
	return { rows, marked: at === undefined ? undefined : [from, from + (choices[at]?.length ?? 0)] };
}

function factRows({ question, run }: AskedOf, columns: number): Line[] {
	const { agent, what, why } = question;
	const { directory, rule } = what.is === "words" ? {} : what;
	const scope = what.is === "outside" ? ", outside the sandbox in the same way and in this directory" : "";
	const facts: readonly (readonly [label: string, text: string | undefined])[] = [
		["agent", askerPath(run, question)],
		["in", directory && visibleCommand(visible(directory))],
		["why asked", what.is === "command" ? visible(what.because) : undefined],
		["reason", why === undefined ? undefined : visible(why)],
		["always", rule && `${visibleCommand(visible(rule))}${scope}, for agent ${agent} and all below it`],
		[
			"project",
			what.is === "command" && what.project ? `the same for all runs in ${visible(what.project)}` : undefined,
		],
	];
	return facts.flatMap(([label, text]) => (text === undefined ? [] : labeled(label, text, columns)));
}

/** Text of an agent with all that it says. */
export function visible(text: string): string {
	return cleanText(visibleText(redactKnown(text)));
}

function whatRows({ what }: Question, columns: number): Line[] {
	switch (what.is) {
		case "command":
			return [...wrapped("Run this command?", "heading", columns), ...commandRows(what, columns)];
		case "outside":
			return [
				...wrapped("Run this command", "heading", columns),
				...wrapped(`${cleanText(whereOf(what))}?`, "bad", columns),
				...commandRows(what, columns),
			];
		case "words":
			return wrapped(visible(what.text), "strong", columns);
	}
}

/** A command may be long, and is shown again and again; it is broken into rows again for another width. */
const known = new WeakMap<Asked, { readonly columns: number; readonly rows: readonly Line[] }>();

function commandRows(what: Exclude<Asked, { is: "words" }>, columns: number): readonly Line[] {
	const before = known.get(what);
	if (before?.columns === columns) return before.rows;
	const rows = newCommandRows(what.command, columns);
	known.set(what, { columns, rows });
	return rows;
}

/** `$ ` before the command, blanks before its other lines, and a mark before what goes on from the row above. */
function newCommandRows(command: string, columns: number): Line[] {
	const room = Math.max(1, columns - 2);
	return visibleCommand(visible(command))
		.split("\n")
		.flatMap((line, n) => {
			const parts = [{ text: line, style: "strong", from: 0 } as const];
			const rows = rowsOf({ parts, hang: 0, from: 0, isVerbatim: true }, room);
			return rows.map((part, at) => marked(at > 0 ? "↳ " : n === 0 ? "$ " : "  ", part));
		});
}

function marked(mark: string, { parts }: Row): Line {
	return [segment(mark, "dim"), ...parts];
}

function choiceRows(choice: string, { n, isMarked }: { n: number; isMarked: boolean }, columns: number): Line[] {
	const mark = isMarked ? "›" : " ";
	const number = n < 9 ? `${n + 1}` : " ";
	const style: Style = isMarked ? "alert" : "plain";
	const head = `${mark} ${number}  `;
	const parts = [
		{ text: head, style: isMarked ? style : "strong", from: 0 } as const,
		{ text: visible(choice), style, from: 0 } as const,
	];
	return wrapLine({ parts, hang: head.length, from: 0 }, columns);
}

function labeled(label: string, text: string, columns: number): Line[] {
	const parts = [
		{ text: `${label.padEnd(LABEL_COLUMNS)} `, style: "dim", from: 0 } as const,
		{ text: text.replaceAll("\n", " ⏎ "), style: "plain", from: 0 } as const,
	];
	return wrapLine({ parts, hang: LABEL_COLUMNS + 1, from: 0 }, columns);
}

function wrapped(text: string, style: Style, columns: number): Line[] {
	return text
		.split("\n")
		.flatMap((line) => wrapLine({ parts: [{ text: line, style, from: 0 }], hang: 0, from: 0 }, columns));
}

type Run = Pick<RunState, "agents">;

/** The agent with those above it, the root first. */
function askerPath(run: Run, question: Question): string {
	return namesOf(run, question).toReversed().join(" › ");
}

/** For where it may be cut: the agent first, `1.2 linker (code) ‹ 1 release`. */
export function askerFirst(run: Run, question: Question): string {
	return namesOf(run, question).join(" ‹ ");
}

/** Made once for a question: each frame asks, and an agent may have thousands of siblings. */
const knownNames = new WeakMap<Question, readonly string[]>();

function namesOf({ agents }: Run, question: Question): readonly string[] {
	const before = knownNames.get(question);
	if (before !== undefined) return before;
	const names = withAncestors(question.agent).map((id) => namedAgent(agents, id));
	knownNames.set(question, names);
	return names;
}

function namedAgent(agents: RunState["agents"], id: AgentId): string {
	const parent = parentOf(id);
	const siblings = Object.values(agents).filter((other) => parentOf(other.id) === parent);
	const name = agentNames(siblings).get(id) ?? "";
	const role = agents[id]?.role;
	return `${id}${name === "" ? "" : ` ${name}`}${role === undefined ? "" : ` (${oneLine(role)})`}`;
}
