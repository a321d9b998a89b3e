/** The whole screen as styled lines: pure, from the run, what the person chose, the size and the time. */

import { fitLine, fitLines, type Line, lineWidth, type Size, type Style, segment } from "../../tui/text/line.ts";
import { type Layout, layOut, sizeAt } from "./layout.ts";
import { questionBannerLines } from "./panes/answer.ts";
import { lastEventsLine } from "./panes/footer.ts";
import { headerLines } from "./panes/header.ts";
import { barPane, LISTED_KEYS, openPane, paneAt, paneNamed } from "./panes.ts";
import type { Pane } from "./scene/pane.ts";
import { type Picture, type Scene, sceneOf } from "./scene/scene.ts";

/** Exactly `size.rows` lines of exactly `size.columns` columns. */
export function view(picture: Picture): Line[] {
	const scene = sceneOf(picture, LISTED_KEYS);
	const { columns, rows } = scene.size;
	const layout = layOut(scene);
	const body = fitLines(sideLines(scene, layout), layout.bodyRows).map((line) => fitLine(line, columns));
	const bar = barPane(scene.ui).lines(scene, sizeAt({ is: "bar" }, scene));
	const lines = [
		...headerLines(scene, columns, layout.headerRows),
		...questionBannerLines(scene, { columns, rows: layout.questionBannerRows }),
		...withBox(body, boxLines(scene), columns),
		...(layout.hasEvents ? [lastEventsLine(scene, columns)] : []),
		...fitLines(bar, 1),
	].map((line) => fitLine(line, columns));
	return lines.slice(Math.max(0, lines.length - rows));
}

function sideLines(scene: Scene, { arrangement }: Layout): Line[] {
	const { ui } = scene;
	if (arrangement === "single") return ruledPane(paneNamed(ui.side), scene);
	const [left, right] = [paneAt("left", ui), paneAt("right", ui)];
	if (arrangement === "stacked") return [...ruledPane(left, scene), ...ruledPane(right, scene)];
	const rightLines = framedPane(right, scene);
	return framedPane(left, scene).map((line, row) => [...line, ...(rightLines[row] ?? [])]);
}

function ruledPane(pane: Pane | undefined, scene: Scene): Line[] {
	if (pane === undefined) return [];
	const inner = sizeAt(pane.place, scene);
	const title = pane.title(scene, inner, ruledTitle(inner));
	return ruled(pane.lines(scene, inner), { title, inner, hasKeys: hasKeys(pane, scene) });
}

function framedPane(pane: Pane | undefined, scene: Scene): Line[] {
	if (pane === undefined) return [];
	const inner = sizeAt(pane.place, scene);
	const blanks = pane.place.is === "left" ? 0 : 1;
	const title = pane.title(scene, inner, framedTitle({ inner, blanks }));
	return framed(pane.lines(scene, inner), { title, inner, blanks, hasKeys: hasKeys(pane, scene) });
}

/** A box has the keys while it is open, and no side has them then. */
function hasKeys(pane: Pane, { ui }: Scene): boolean {
	const open = openPane(ui);
	return open?.place.is === "box" ? open === pane : ui.side === pane.name;
}

/** No higher than what it shows. */
function boxLines(scene: Scene): Line[] {
	const pane = openPane(scene.ui);
	if (pane?.place.is !== "box") return [];
	const most = sizeAt(pane.place, scene);
	const lines = pane.lines(scene, most).slice(0, most.rows);
	const inner = { ...most, rows: lines.length };
	const title = pane.title(scene, most, framedTitle({ inner, blanks: 1 }));
	return framed(lines, { title, inner, blanks: 1, hasKeys: true });
}

/** The box lies in the middle, over what is there. */
function withBox(body: readonly Line[], box: readonly Line[], columns: number): Line[] {
	const width = lineWidth(box[0] ?? []);
	const left = Math.max(0, Math.floor((columns - width) / 2));
	const above = Math.max(0, Math.floor((body.length - box.length) / 2));
	return body.map((line, row) => {
		const over = box[row - above];
		return over === undefined ? line : fitLine([segment(" ".repeat(left)), ...over], columns);
	});
}

/**
 * Frames and rules with a title in their upper edge. What has the keys is drawn with heavy lines, so that it is seen
 * without colors, too.
 */
interface Frame {
	readonly title: Line;
	/** What lies inside of the frame. */
	readonly inner: Size;
	/** The blanks between the frame and what it holds, at either side. */
	readonly blanks: 0 | 1;
	readonly hasKeys: boolean;
}

/** A frame around exactly `inner.rows` lines. */
function framed(lines: readonly Line[], { title, inner, blanks, hasKeys }: Frame): Line[] {
	const pieces = hasKeys ? HEAVY : LIGHT;
	const [topLeft, line, topRight, side, bottomLeft, bottomRight] = [...pieces];
	const tone = toneOf(hasKeys);
	const blank = segment(" ".repeat(blanks));
	const width = inner.columns + 2 * blanks;
	return [
		[segment(topLeft ?? "", tone), ...edge(title, width, { line, tone }), segment(topRight ?? "", tone)],
		...fitLines(lines, inner.rows).map((row) => [
			segment(side ?? "", tone),
			...(blanks > 0 ? [blank] : []),
			...fitLine(row, inner.columns),
			...(blanks > 0 ? [blank] : []),
			segment(side ?? "", tone),
		]),
		[segment(`${bottomLeft}${(line ?? "").repeat(width)}${bottomRight}`, tone)],
	];
}

/** A line across the screen with a title in it, and below it exactly `inner.rows` lines. */
function ruled(lines: readonly Line[], { title, inner, hasKeys }: Omit<Frame, "blanks">): Line[] {
	const line = hasKeys ? "━" : "─";
	const tone = toneOf(hasKeys);
	const rule = [segment(line, tone), ...edge(title, inner.columns - 1, { line, tone })];
	return [rule, ...fitLines(lines, inner.rows).map((row) => fitLine(row, inner.columns))];
}

/** How wide a title in a frame may be: a blank stands at each end of it. */
function framedTitle({ inner, blanks }: Pick<Frame, "inner" | "blanks">): number {
	return Math.max(0, inner.columns + 2 * blanks - 2);
}

/** How wide a title in a rule may be: before its first blank a piece of the rule stands. */
function ruledTitle({ columns }: Size): number {
	return Math.max(0, columns - 3);
}

const LIGHT = "┌─┐│└┘";
const HEAVY = "┏━┓┃┗┛";

/** Without the blanks at the end, where the edge goes on. */
function withoutEnd(title: Line): Line {
	const last = title.at(-1);
	if (last === undefined) return title;
	const text = last.text.trimEnd();
	return text === "" ? withoutEnd(title.slice(0, -1)) : [...title.slice(0, -1), { ...last, text }];
}

function toneOf(hasKeys: boolean): Style {
	return hasKeys ? "busy" : "dim";
}

function edge(title: Line, width: number, { line = "─", tone }: { line: string | undefined; tone: Style }): Line {
	const titled: Line = [segment(" "), ...withoutEnd(title), segment(" ")];
	const head = lineWidth(titled) > width ? fitLine(titled, Math.max(0, width)) : titled;
	return [...head, segment(line.repeat(Math.max(0, width - lineWidth(head))), tone)];
}
