/** The last two lines: the newest events; and how the run ended, what holds it up, what became of the last key, or the keys. */
import { ROOT } from "../../../core/model/agent.ts";
import type { RunState } from "../../../core/run/run-state.ts";
import { totalsWithin } from "../../../core/run/spending.ts";
import { describeEnding } from "../../../text/describe-ending.ts";
import { formatWait } from "../../../text/durations.ts";
import { cleanText, oneLine } from "../../../text/safe/terminal-safe.ts";
import { fitWidth } from "../../../text/width/width.ts";
import { fitLine, type Line, lineWidth, type Segment, type Style, segment } from "../../../tui/text/line.ts";
import { treeOf } from "../../../view/agents/agent-tree.ts";
import { type NotableEvent, notableEvents } from "../../../view/events/news.ts";
import { shortTime } from "../../../view/words/clock-time.ts";
import { HINTS, type ListedKey } from "../scene/keys.ts";
import type { Pane } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { ANSWER, isOpen, type Notice } from "../scene/ui-state.ts";

export const footerPane: Pane = {
	name: "footer",
	place: { is: "bar" },
	title: () => [],
	lines: (scene, { columns }) => [hintsLine(scene, columns)],
	act: () => undefined,
};

function hintsLine(scene: Scene, width: number): Line {
	const { run, isLost, ui, now } = scene;
	if (ui.notice !== undefined && ui.notice.until > now) return answerLine(ui.notice, scene, width);
	if (run.ended !== undefined) {
		return endedLine(run, run.ended, width);
	}
	if (isLost) return closing(" the run's supervisor is gone", "bad", width);
	if (run.stopping !== undefined) return closing(` the run is stopping: ${cleanText(run.stopping)}`, "warn", width);
	if (isOpen(ui, ANSWER)) return [segment(" Answering a question; Esc to go back", "dim")];
	const notice = noticeOf(scene);
	return notice === undefined ? keysLine(scene, width) : noticeLine(notice, { scene, width, tone: "warn" });
}

/** What became of the last key may have the whole line. */
function answerLine({ text, tone }: Notice, scene: Scene, width: number): Line {
	const said = segment(` ${oneLine(cleanText(text))} `, tone);
	const line = [said, segment("│", "dim"), ...keysLine(scene, 0)];
	return lineWidth(line) <= width ? line : [said];
}

/** An ending is green only when no agent has failed. */
function endedLine(run: RunState, { ending, survivors }: NonNullable<RunState["ended"]>, width: number): Line {
	const { failed } = treeOf(run.agents).counts;
	const { agents } = totalsWithin(run, ROOT);
	const left = survivors.length === 0 ? "" : ` (still alive: ${survivors.join(", ")})`;
	const failures = failed === 0 || agents === 1 ? "" : `, ${failed} of ${agents} agents failed`;
	const tone = ending.by !== "answer" ? "bad" : failed > 0 || left !== "" ? "warn" : "good";
	return closing(` run ended: ${cleanText(describeEnding(ending))}${failures}${left}`, tone, width);
}

function noticeOf({ run, isSuspended, now }: Scene): string | undefined {
	if (isSuspended === true) return `suspended (to continue: kill -CONT ${run.pid}, or fg)`;
	const { slowed, shortages } = run;
	if (slowed !== undefined && slowed.until > now)
		return `no calls for ${formatWait(slowed.until - now)}: ${slowed.reason}; then ${slowed.maxCalls} at once`;
	const [shortage] = shortages;
	return shortage === undefined ? undefined : `short of ${shortage.what}: ${shortage.reason}`;
}

/** The notice is cut so that the last two keys, help and quit, stay visible beside it. */
function noticeLine(notice: string, { scene, width, tone }: { scene: Scene; width: number; tone: Style }): Line {
	const keys = keysLine(scene, 0);
	const room = Math.max(0, width - lineWidth(keys) - 1);
	return [segment(` ${fitWidth(oneLine(cleanText(notice)), Math.max(0, room - 1))} `, tone), ...keys];
}

/** The text is cut so that the key that closes the dashboard stays visible. */
function closing(text: string, tone: Style, width: number): Line {
	const way = " — q to close";
	const room = Math.max(0, width - way.length);
	const cut = text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…` : text;
	return [segment(cut, tone), segment(way, "dim")];
}

/** Keys that do not fit are left out from the right, but for help and quit. */
function keysLine({ keys, ui, run }: Scene, width: number): Line {
	const hints = keys
		.filter(({ hint }) => hint !== "answer" || (run.questions ?? []).length > 0)
		.filter(({ hint, side }) => hint !== undefined && (side === undefined || side === ui.side))
		.sort((a, b) => placeOf(a) - placeOf(b))
		.map((key): Segment[] => {
			const isOn = key.action === "follow" && ui.follow.is === "on";
			return [
				segment(` ${key.hintLabel ?? key.label.split(" ")[0]} `, "strong"),
				segment(isOn ? "following" : (key.hint ?? ""), isOn ? "busy" : "dim"),
				segment(" "),
			];
		});
	while (hints.length > 2 && lineWidth(hints.flat()) > width) hints.splice(-3, 1);
	return hints.flat();
}

function placeOf({ hint }: ListedKey): number {
	return hint === undefined ? HINTS.length : HINTS.indexOf(hint);
}

/** The last events that a person wants to hear of, as one line. */

const MOST_TOLD = 4;
/** Less of an event would say nothing. */
const LEAST_COLUMNS = 32;

const ALL = "(e: all events) ";

/** The newest stands first; the last is cut where it has to be. Then comes the key that shows all, where there is room. */
export function lastEventsLine(scene: Scene, columns: number): Line {
	const line = toldEvents(scene, columns);
	const room = columns - lineWidth(line) - ALL.length;
	return line.length === 0 || room < 2 ? line : [...line, segment(" ".repeat(room)), segment(ALL, "dim")];
}

function toldEvents({ events }: Scene, columns: number): Line {
	let line: Line = [];
	for (const event of notableEvents(events, MOST_TOLD)) {
		const next = [...line, segment(line.length === 0 ? " " : "   "), ...told(event)];
		if (lineWidth(next) > columns)
			return line.length === 0 || columns - lineWidth(line) >= LEAST_COLUMNS ? fitLine(next, columns) : line;
		line = next;
	}
	return line;
}

function told({ at, agent, text, tone }: NotableEvent): Line {
	return [segment(`${shortTime(at)} `, "dim"), segment(`${agent ?? "run"} `, "strong"), segment(cleanText(text), tone)];
}
