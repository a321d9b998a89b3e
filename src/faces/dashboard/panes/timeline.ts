/** The timeline: what each agent of the tree's rows did when, as bars. */
import { ROOT } from "../../../core/model/agent.ts";
import { formatDuration } from "../../../text/durations.ts";
import { type Line, lineWidth, type Size, segment } from "../../../tui/text/line.ts";
import { shortTime } from "../../../view/words/clock-time.ts";
import type { Action, KeyBinding } from "../scene/keys.ts";
import type { Pane, Step } from "../scene/pane.ts";
import type { Scene } from "../scene/scene.ts";
import {
	followingNow,
	type Interval,
	lengthOf,
	panned,
	type RunTime,
	shownInterval,
	type TimeRange,
	WHOLE_TIME,
	zoomed,
} from "../scene/time-range.ts";
import { closed } from "../scene/ui-state.ts";
import { barRows, timelineLines } from "./timeline-lines.ts";
import { treeStep } from "./tree-steps.ts";

const NAME = "timeline";
const MOST_COLUMNS = 400;

const KEYS: readonly KeyBinding[] = [
	{ action: "zoom_in", names: ["+", "="] },
	{ action: "zoom_out", names: ["-", "_"] },
	{ action: "whole_time", names: ["0"] },
	{ action: "earlier", names: ["left", "h"] },
	{ action: "later", names: ["right", "l"] },
	{ action: "follow", names: ["f"] },
	{ action: "choose", names: ["enter", "return"] },
];

export const timelinePane: Pane = {
	name: NAME,
	place: { is: "box", mostColumns: MOST_COLUMNS },
	opener: {
		...{ action: "open", names: ["t"], opens: NAME },
		...{ label: "t", help: "timeline of all agents", hint: "time" },
	},
	ownKeys: KEYS,
	title,
	lines: (scene, size) => timelineLines(scene, wholeTime(scene), size),
	act: (action, scene, size) => stepAfter(action, scene, size),
};

/** How to close it stays visible. */
function title(scene: Scene, { columns }: Size): Line {
	const shown = shownInterval(scene.ui.timeline, wholeTime(scene));
	const [from, to] = [shown.from, shown.to].map(shortTime);
	const length = formatDuration(lengthOf(shown));
	const words = [` ${from} – ${to}, ${length} (esc closes)`, ` ${from} – ${to} (esc)`, ` ${length} (esc)`];
	const lines = words.map((text): Line => [segment("Timeline", "heading"), segment(text, "dim")]);
	return lines.find((line) => lineWidth(line) <= columns) ?? [segment("Timeline", "heading")];
}

/** From the start of the run to now, or to its end. */
function wholeTime({ run, now }: Scene): RunTime {
	const root = run.agents[ROOT]?.state;
	const endedAt = run.ended?.at ?? (root?.is === "ended" ? root.at : undefined);
	const to = endedAt ?? now;
	const from = run.startedAt === 0 ? to : run.startedAt;
	return { from, to: Math.max(to, from + 1_000), isGoingOn: endedAt === undefined };
}

/** Keys of the tree do here what they do there: the rows are the same. */
function stepAfter(action: Action, scene: Scene, size: Size): Step | undefined {
	const { ui } = scene;
	if (action === "choose") return { ui: { ...closed(ui), side: "history" } };
	if (action === "cancel") return undefined; // closes the timeline, and leaves the tree's filter as it is
	const timeline = rangeAfter(action, ui.timeline, wholeTime(scene));
	return timeline === undefined ? treeStep(action, scene, barRows(size)) : { ui: { ...ui, timeline } };
}

function rangeAfter(action: Action, range: TimeRange, whole: Interval): TimeRange | undefined {
	switch (action) {
		case "zoom_in":
			return zoomed(range, whole, "in");
		case "zoom_out":
			return zoomed(range, whole, "out");
		case "whole_time":
			return WHOLE_TIME;
		case "earlier":
		case "later":
			return panned(range, whole, action);
		case "follow":
			return followingNow(range);
		default:
			return undefined;
	}
}
