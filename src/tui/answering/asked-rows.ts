/**
 * What an agent asks, as rows: all of it can be read. A command stands there character by character, with what a terminal would
 * obey or not show written as what it is; a row that goes on in the next one says so. Pure.
 */

import { type AgentId, parentOf, withAncestors } from "../../core/model/agent.ts";
import type { Asked, Question } from "../../core/run/questions.ts";
import type { RunState } from "../../core/run/run-state.ts";
import { redactKnown } from "../../text/safe/redact.ts";
import { cleanText, oneLine } from "../../text/safe/terminal-safe.ts";
import { visibleCommand, visibleText } from "../../text/safe/visible.ts";
import { agentNames } from "../../view/agents/agent-names.ts";
import { whereOf } from "../../view/words/question.ts";
import { type Line, type Style, segment } from "../text/line.ts";
import { type Row, rowsOf, wrapLine } from "../text/styled-line.ts";
import { choicesOf } from "./answer-keys.ts";

export interface AskedRows {
	/** Who asks what. */
	readonly rows: readonly Line[];
	/** The rows of the marked choice: the first, and the one behind the last. */
	readonly marked: readonly [from: number, to: number] | undefined;
}

export interface AskedOf {
	readonly question: Question;
	readonly run: Pick<RunState, "agents">;
	/** The choice that Enter takes. */
	readonly at: number | undefined;
}

const LABEL_COLUMNS = 9;
const EMPTY: Line = [];

/** What is asked comes first, then what else there is to know. `isTight`: without empty rows. */
export function askedRows(asked: AskedOf, columns: number, isTight: boolean): AskedRows {
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
	return facts.flatMap(([label, text]) => (text === undefined ? [] : labelled(label, text, columns)));
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

/** Of a command that may be long, and is shown again and again; the rows of another width are made anew. */
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

function labelled(label: string, text: string, columns: number): Line[] {
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

/** Who asks, as people know agents: `1 release › 1.2 linker (code)`. Pure. */

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
