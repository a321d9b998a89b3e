/** What a key and the mouse do: pure. */
import { typeInto } from "../../tui/editor/field-keys.ts";
import { type MouseKey, nameOf, type PastedText, type PressedKey, type TypedKey } from "../../tui/keys/key.ts";
import { layOut, sizeAt } from "./layout.ts";
import { pauseOrGoOn, quitPane } from "./panes/agent-actions.ts";
import { answerPane } from "./panes/answer.ts";
import { KEYS, LISTED_KEYS, openPane, paneAt, paneNamed, sides } from "./panes.ts";
import { type KeyBinding, keyNamed } from "./scene/keys.ts";
import type { Pane, Step, TextTaker } from "./scene/pane.ts";
import { type Picture, type Scene, sceneOf } from "./scene/scene.ts";
import { aboutOf, closed, entryOf, noticed, opened, type UiState, withEntry } from "./scene/ui-state.ts";

/**
 * The open pane is asked first, then the pane that the key names or the side that has the keys. Keys that mean nothing
 * to either mean the same on the whole screen.
 */
export function pressKey(picture: Picture, key: PressedKey): Step {
	const ui = withoutNotice(picture.ui);
	const open = openPane(ui);
	if (open?.press !== undefined) return pressIn(open, key, sceneOf({ ...picture, ui }, LISTED_KEYS));
	if (open?.takes !== undefined) return type(open.takes, key, sceneOf({ ...picture, ui }, LISTED_KEYS));
	const bound = keyNamed(open?.keys ?? [...(open?.ownKeys ?? []), ...KEYS], nameOf(key), ui.side);
	if (bound === undefined) return { ui };
	const scene = sceneOf({ ...picture, ui }, LISTED_KEYS);
	return (
		stepOf(open, bound, scene) ??
		closing(open, bound, ui) ??
		withoutFind(bound, ui) ??
		stepOf(paneNamed(bound.pane ?? ui.side), bound, scene) ??
		commonStep(bound, scene)
	);
}

/** A paste goes into the line of text that is asked for; without one it does nothing. */
export function paste(picture: Picture, key: PastedText): Step {
	const { ui } = picture;
	const open = openPane(ui);
	if (open?.press !== undefined) return pressIn(open, key, sceneOf(picture, LISTED_KEYS));
	return open?.takes === undefined ? { ui } : { ui: typed(open.takes, key, sceneOf(picture, LISTED_KEYS)) };
}

function pressIn(open: Pane, key: TypedKey, scene: Scene): Step {
	if (key.is === "key" && nameOf(key) === "ctrl-l") return { ui: scene.ui, wish: { is: "redraw" } };
	return open.press?.(key, scene, sizeAt(open.place, scene)) ?? { ui: scene.ui };
}

function type(takes: TextTaker, key: PressedKey, scene: Scene): Step {
	const { ui } = scene;
	switch (nameOf(key)) {
		case "escape":
		case "ctrl-c":
			return { ui: takes.cancel?.(scene) ?? closed(ui) };
		case "enter":
			return goneOn(takes.submit(entryOf(ui).text, { ...scene, ui: closed(ui) }, aboutOf(ui)), scene);
		default:
			return { ui: typed(takes, key, scene) };
	}
}

function typed(takes: TextTaker, key: TypedKey, scene: Scene): UiState {
	const entry = typeInto(entryOf(scene.ui), key, takes);
	const ui = withEntry(scene.ui, entry);
	return takes.typed?.(entry.text, { ...scene, ui }) ?? ui;
}

/** The step, and what the open pane, or the side that has the keys, does then. */
function goneOn({ next, ...step }: Step, scene: Scene): Step {
	if (next === undefined) return step;
	const after = sceneOf({ ...scene, ui: step.ui }, LISTED_KEYS);
	return { ...step, ...stepOf(openPane(step.ui) ?? paneNamed(step.ui.side), { action: next, names: [] }, after) };
}

function withoutNotice(ui: UiState): UiState {
	const { notice, ...rest } = ui;
	return notice === undefined ? ui : rest;
}

function stepOf(pane: Pane | undefined, { action }: KeyBinding, scene: Scene): Step | undefined {
	return pane?.act(action, scene, sizeAt(pane.place, scene));
}

/** An open pane is closed by q, by escape, and by the key that opened it. */
function closing(open: Pane | undefined, { action, opens }: KeyBinding, ui: UiState): Step | undefined {
	if (open === undefined) return undefined;
	const isCloser = action === "leave" || action === "cancel" || (action === "open" && opens === open.name);
	return isCloser ? { ui: closed(ui) } : undefined;
}

/** Escape first takes the marks of a find away. */
function withoutFind({ action }: KeyBinding, { find, ...ui }: UiState): Step | undefined {
	return action === "cancel" && find !== undefined ? { ui } : undefined;
}

function commonStep({ action, opens = "" }: KeyBinding, scene: Scene): Step {
	const { ui, isRunOver, isOverConversation = false } = scene;
	switch (action) {
		case "open":
			return paneNamed(opens)?.opening?.(scene) ?? { ui: opened(ui, opens) };
		case "pause":
			return pauseOrGoOn(scene);
		case "leave":
		case "interrupt":
			if (isRunOver) return { ui, wish: { is: "close" } };
			return isOverConversation ? { ui, wish: { is: "leave_running" } } : { ui: opened(ui, quitPane.name) };
		case "leave_running":
			return { ui, wish: { is: isRunOver ? "close" : "leave_running" } };
		case "zoom":
			return { ui: { ...ui, isZoomed: !ui.isZoomed } };
		case "redraw":
			return { ui, wish: { is: "redraw" } };
		case "mouse":
			return mouseStep(scene);
		case "switch_side":
			return { ui: { ...ui, side: sideAfter(ui.side) } };
		case "to_left":
		case "cancel":
			return { ui: { ...ui, side: paneAt("left", ui)?.name ?? ui.side } };
		case "to_right":
			return { ui: { ...ui, side: paneAt("right", ui)?.name ?? ui.side } };
		default:
			return { ui };
	}
}

/** Nothing else on the screen tells whether the mouse is on. */
function mouseStep({ ui, now }: Scene): Step {
	const isMouseOn = !ui.isMouseOn;
	const text = isMouseOn ? "mouse on: click and scroll; shift selects text" : "mouse off";
	return { ui: noticed({ ...ui, isMouseOn }, text, { tone: "plain", now }), wish: { is: "mouse", isOn: isMouseOn } };
}

function sideAfter(side: string): string {
	const names = sides().map(({ name }) => name);
	return names[(names.indexOf(side) + 1) % names.length] ?? side;
}

const WHEEL_LINES = 3;

/** The wheel scrolls the pane under it; a click gives a pane the keys, and chooses what it shows there. */
export function point(picture: Picture, event: MouseKey): Step {
	const scene = sceneOf(picture, LISTED_KEYS);
	const open = openPane(scene.ui);
	if (open !== undefined) return open.place.is === "box" ? turnWheel(open, scene, event) : { ui: scene.ui };
	if (event.button === "left" && isOnBand(scene, event)) return answerPane.opening?.(scene) ?? { ui: scene.ui };
	const found = sideAt(scene, event);
	if (found === undefined) return { ui: scene.ui };
	if (event.button !== "left") return turnWheel(found.pane, scene, event);
	const ui = { ...scene.ui, side: found.pane.name };
	const size = sizeAt(found.pane.place, scene);
	const isWithin = found.row >= 0 && found.row < size.rows;
	return (isWithin ? found.pane.click?.({ ...scene, ui }, size, found.row) : undefined) ?? { ui };
}

function turnWheel(pane: Pane, scene: Scene, { button }: MouseKey): Step {
	if (button === "left") return { ui: scene.ui };
	let { ui } = scene;
	for (let line = 0; line < WHEEL_LINES; line++) {
		const now = { ...scene, ui };
		ui = pane.act(button === "wheel_up" ? "up" : "down", now, sizeAt(pane.place, now))?.ui ?? ui;
	}
	return { ui };
}

/** A click there turns to the question; no click answers one. */
function isOnBand(scene: Scene, { y }: MouseKey): boolean {
	const { headerRows, questionBannerRows } = layOut(scene);
	return y >= headerRows && y < headerRows + questionBannerRows;
}

/** The side under the pointer, and which of its lines that is: -1 is its title. */
function sideAt(scene: Scene, { x, y }: MouseKey): { pane: Pane; row: number } | undefined {
	const { arrangement, headerRows, questionBannerRows, bodyRows, left } = layOut(scene);
	const row = y - headerRows - questionBannerRows;
	if (row < 0 || row >= bodyRows) return undefined;
	const isLeft = arrangement === "beside" ? x < left.columns : row < left.rows;
	const pane = arrangement === "single" ? paneNamed(scene.ui.side) : paneAt(isLeft ? "left" : "right", scene.ui);
	const top = arrangement === "stacked" && !isLeft ? left.rows : 0;
	return pane && { pane, row: row - top - 1 };
}
