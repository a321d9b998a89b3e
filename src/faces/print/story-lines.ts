/** The items of an agent's story as lines for a person. Nothing is printed here; what agents wrote is made safe for a terminal. */
import type { Agent, Ending } from "../../core/model/agent.ts";
import type { NoteEntry } from "../../core/model/transcript.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { describeState, wholeEnding } from "../../text/states.ts";
import type { StoryItem, ToldTurn } from "../../view/agent-story.ts";
import { shortTime } from "../../view/clock-time.ts";
import { turnFacts, turnStart } from "../../view/turn-facts.ts";
import { describeNote } from "../../view/words/notes.ts";
import { commandLines } from "./command-lines.ts";
import { rowsOf } from "./rows.ts";
import type { StoryView } from "./story-view.ts";

export const THINKING = "(thinking) ";

export function storyLines(item: StoryItem, view: StoryView): string[] {
	const { paint } = view;
	switch (item.is) {
		case "happened": {
			const { at, text, isTrouble } = item.agentNotice;
			return markedLines(at, oneLine(text), view).map(isTrouble ? paint.red : paint.dim);
		}
		case "turn":
			return ["", ...turnTitle(item, view)];
		case "said":
			return saidLines(item.block, view);
		case "told": {
			const { at, text, sender } = item;
			const from = sender === undefined ? [] : headline(at, `message from ${sender}`, view);
			return ["", ...from, ...quoted(text, view)];
		}
		case "note":
			return noteLines(item.note, item.isKnown, view);
		case "command":
			return commandLines(item, view);
	}
}

/** The words of a person, or of the agent above. */
export function quoted(text: string, { paint, columns }: Pick<StoryView, "paint" | "columns">): string[] {
	return rowsOf(text, { columns, first: "> ", rest: "> ", more: "> " }).map(paint.bold);
}

/** `turn 2  20:15:32  took 2s, 1.2k in / 80 out, $0.0123`. */
export function turnTitle(told: ToldTurn, { paint, isOver, columns }: StoryView): string[] {
	const at = turnStart(told);
	const first = [`turn ${told.turn}`, ...(at === undefined ? [] : [shortTime(at)])].join("  ");
	const facts = oneLine(turnFacts(told, isOver).join(", "));
	return (facts === "" ? [first] : rowsOf(facts, { columns, first: `${first}  ` })).map(paint.bold);
}

/** How the agent has ended, with the whole cause. `known`: the error that is told right above, and not once more. */
export function endingLines(
	ending: Ending,
	at: number,
	{ view, known }: { view: StoryView; known?: string | undefined },
): string[] {
	const isKnown = ending.by === "failure" && ending.reason === known;
	const text = isKnown ? "failure, by the error above" : wholeEnding(ending);
	const rows = rowsOf(text, { columns: view.columns, first: `ended  ${shortTime(at)}  ` });
	return ["", ...rows.map((row) => view.paint.bold(ending.by === "answer" ? row : view.paint.red(row)))];
}

/** What the agent does now. */
export function standingLines(agent: Agent, { paint, columns, now }: StoryView): string[] {
	const rows = rowsOf(describeState(agent, now), { columns, first: `now    ${shortTime(now)}  ` });
	return ["", ...rows.map(paint.bold)];
}

function saidLines(block: Extract<StoryItem, { is: "said" }>["block"], { paint, columns }: StoryView): string[] {
	switch (block.type) {
		case "text":
			return rowsOf(block.text, { columns });
		case "thinking":
			return rowsOf(block.thinking, { columns, first: THINKING }).map(paint.dim);
		case "redacted_thinking":
			return [paint.dim("(thinking that the service does not show)")];
	}
	// A kind of block that this version does not know.
	return [paint.dim(`(${oneLine(String((block as { type?: unknown }).type))})`)];
}

/** A call is one dim line. A compaction is a mark that is not overlooked, with the summary below. */
function noteLines(note: NoteEntry, isKnown: boolean, view: StoryView): string[] {
	const { paint, columns } = view;
	const below = (text: string) => rowsOf(text, { columns, first: "   " }).map(paint.dim);
	switch (note.note) {
		case "call": {
			const isWordless = note.outcome === "retried" || note.outcome === "compaction";
			const partial = isWordless ? [] : below(note.partial ?? "");
			if (isKnown && partial.length === 0) return [];
			const what = isKnown ? "what had come of the answer" : describeNote(note);
			return [...markedLines(note.at, what, view).map(paint.dim), ...partial];
		}
		case "compaction":
			return ["", ...headline(note.at, describeNote(note), view), ...below(note.summary)];
		case "forked":
		case "changed":
		case "resumed":
			return ["", ...headline(note.at, describeNote(note), view)];
	}
}

/** `-- 20:15:32  what happened`. */
export function markedLines(at: number, text: string, { columns }: StoryView): string[] {
	return rowsOf(text, { columns, first: `-- ${shortTime(at)}  ` });
}

function headline(at: number, text: string, { paint, columns }: StoryView): string[] {
	return rowsOf(`${text} ==`, { columns, first: `== ${shortTime(at)}  ` }).map(paint.bold);
}
