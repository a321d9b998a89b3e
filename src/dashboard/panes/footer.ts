/** The last line, below the totals: how the run ended, what holds it up, or the keys. */
import { formatWait } from "../../text/durations.ts";
import { describeEnding } from "../../text/states.ts";
import { cleanText, oneLine } from "../../text/terminal-safe.ts";
import { fitWidth } from "../../text/width.ts";
import { type Line, lineWidth, type Segment, segment, type Tone } from "../scene/line.ts";
import type { Pane } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import { totalsLine } from "./totals.ts";

export const footerPane: Pane = {
	name: "footer",
	place: { is: "bar" },
	title: totalsLine,
	lines: (scene, { columns }) => [hintsLine(scene, columns)],
	act: () => undefined,
};

function hintsLine(scene: Scene, width: number): Line {
	const { run, isLost } = scene;
	if (run.ended !== undefined) {
		const { ending, survivors } = run.ended;
		const left = survivors.length === 0 ? "" : ` (still alive: ${survivors.join(", ")})`;
		const text = ` run ended: ${cleanText(describeEnding(ending))}${left}`;
		return closing(text, ending.by === "answer" ? "good" : "bad", width);
	}
	if (isLost) return closing(" the run's supervisor is gone", "bad", width);
	if (run.stopping !== undefined) return closing(` the run is stopping: ${cleanText(run.stopping)}`, "warn", width);
	const notice = noticeOf(scene);
	return notice === undefined ? keysLine(scene, width) : noticeLine(notice, scene, width);
}

function noticeOf({ run, isSuspended, now }: Scene): string | undefined {
	if (isSuspended === true) return `suspended (to go on: kill -CONT ${run.pid}, or fg)`;
	const { slowed, shortages } = run;
	if (slowed !== undefined && slowed.until > now)
		return `no calls for ${formatWait(slowed.until - now)}: ${slowed.reason}; then ${slowed.maxCalls} at once`;
	const [shortage] = shortages;
	return shortage === undefined ? undefined : `short of ${shortage.what}: ${shortage.reason}`;
}

/** The notice is cut so that the last two keys, help and quit, stay visible beside it. */
function noticeLine(notice: string, scene: Scene, width: number): Line {
	const keys = keysLine(scene, 0);
	const room = Math.max(0, width - lineWidth(keys) - 1);
	return [segment(` ${fitWidth(oneLine(cleanText(notice)), Math.max(0, room - 1))} `, "warn"), ...keys];
}

/** The text is cut so that the key that closes the dashboard stays visible. */
function closing(text: string, tone: Tone, width: number): Line {
	const way = " — q to close";
	const room = Math.max(0, width - way.length);
	const cut = text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…` : text;
	return [segment(cut, tone), segment(way, "dim")];
}

/** Keys that do not fit are left out from the left, so help and quit stay. */
function keysLine({ keys, ui }: Scene, width: number): Line {
	const hints = keys
		.filter((key) => key.hint !== undefined)
		.map((key): Segment[] => {
			const isOn = key.action === "follow" && ui.follow.is === "on";
			return [
				segment(` ${key.label.split(" ")[0]} `, "strong"),
				segment(isOn ? "following" : (key.hint ?? ""), isOn ? "busy" : "dim"),
				segment(" "),
			];
		});
	while (hints.length > 2 && lineWidth(hints.flat()) > width) hints.shift();
	return hints.flat();
}
