import { expect, test } from "vitest";
import type { RunEvent } from "../../../../../src/core/schemas/run-event.ts";
import { whyPane } from "../../../../../src/faces/dashboard/panes/why.ts";
import { LISTED_KEYS } from "../../../../../src/faces/dashboard/panes.ts";
import { emptyTranscript } from "../../../../../src/faces/dashboard/scene/agent-transcript.ts";
import { type Picture, type Scene, sceneOf } from "../../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI, opened } from "../../../../../src/faces/dashboard/scene/ui-state.ts";
import { NO_ACTIVITY } from "../../../../../src/view/agents/activity.ts";
import {
	agentEnded,
	BUSY_EVENTS,
	BUSY_RUN,
	joined,
	replay,
	STARTED_AT,
	turnStarted,
} from "../../../../fixtures/dashboard-run.ts";

const SIZE = { columns: 100, rows: 20 };
const STOP: RunEvent = {
	...{ event: "agent_stopping", at: STARTED_AT + 80_000, agent: "1.1", reason: "from the dashboard" },
};
const STOPPED: RunEvent[] = [
	STOP,
	agentEnded("1.1.1", 81_000, { by: "stopped", reason: "from the dashboard", signal: 15 }),
	agentEnded("1.1", 81_000, { by: "stopped", reason: "from the dashboard", signal: 15 }),
];
const KILLED = agentEnded("1.2", 80_000, { by: "killed", signal: "SIGKILL" });

function sceneAt(selected: string, events: readonly RunEvent[] = [], changes: Partial<Picture> = {}): Scene {
	const ui = opened({ ...FIRST_UI, selected }, "why");
	const run = replay(events, BUSY_RUN);
	const picture: Picture = {
		...{ run, ui, transcript: emptyTranscript(selected), events: [...BUSY_EVENTS, ...events], activity: NO_ACTIVITY },
		...{ isLost: false, size: { columns: 120, rows: 36 }, now: STARTED_AT + 95_000 },
	};
	return sceneOf({ ...picture, ...changes }, LISTED_KEYS);
}

const text = (scene: Scene, size = SIZE) =>
	whyPane.lines(scene, size).map((line) => line.map(({ text }) => text).join(""));
const title = (scene: Scene, size = SIZE) =>
	whyPane
		.title(scene, size, size.columns)
		.map(({ text }) => text)
		.join("");
/** Without the times of day, which depend on where the test runs. */
const told = (scene: Scene) =>
	text(scene)
		.join("\n")
		.replaceAll(/\d\d:\d\d:\d\d(?:\.\d{3})?/g, "TIME")
		.trim();

test("of a living agent it tells what it does, or waits for", () => {
	expect(title(sceneAt("1.1"))).toBe("Why 1.1 src is not done (esc closes)");
	expect(told(sceneAt("1.1"))).toBe(
		[
			"1.1 is still running because it is waiting for 1.1.1, which it started at TIME",
			"↳ 1.1.1 is still running because it has been running `find src -name '*.ts' | xargs wc -l | sort -n`",
			"  (process 49000) since TIME",
		].join("\n"),
	);
	expect(told(sceneAt("1.2", [], { isSuspended: true }))).toMatch(
		/^the supervisor \(process 48000\) is suspended[\s\S]*↳ 1\.2 is/,
	);
});

test("of what gets on it tells how: silence and CPU of a command, tokens, the service, the place in the queue", () => {
	const seen = new Map([["1.2", new Map([[1, { silentSince: STARTED_AT + 30_000, cpuMs: 1_250 }]])]]);
	expect(told(sceneAt("1.2", [], { activity: { ...NO_ACTIVITY, commands: seen } }))).toMatch(
		/`npm test` .* since TIME:\s+no\s+output for 1m05s, 1\.2 s CPU time$/m,
	);
	const thinks = [turnStarted("1", 60_000, 3)];
	expect(told(sceneAt("1", thinks))).toMatch(/\n↳ no token received for 35s$/m);
	const tokenAt = new Map([["1", STARTED_AT + 94_000]]);
	expect(told(sceneAt("1", thinks, { activity: { ...NO_ACTIVITY, tokenAt } }))).toMatch(/in turn 3$/m);
	const heldSince = new Map([["1", STARTED_AT + 61_000]]);
	expect(told(sceneAt("1", thinks, { activity: { ...NO_ACTIVITY, heldSince } }))).toMatch(
		/\n↳ its call has been waiting for the service since TIME$/m,
	);
	const queued = [joined("1.4", 90_000, "late", 2)];
	const places = new Map([["1.4", 3]]);
	expect(told(sceneAt("1.4", queued, { activity: { ...NO_ACTIVITY, places, queued: 25 } }))).toMatch(
		/been waiting for a slot since TIME\n↳ it is 3rd of 25 in the queue$/m,
	);
});

test("of a paused agent it tells who has paused it", () => {
	const scene = sceneAt("1.1.1", [{ event: "agent_paused", at: STARTED_AT + 80_000, agent: "1.1", from: null }]);
	expect(title(scene)).toMatch(/^Why 1\.1\.1 .* is paused/);
	expect(told(scene)).toMatch(/^1\.1\.1 has been paused since TIME, when you paused 1\.1/);
});

test("of one that has ended it tells the whole chain", () => {
	expect(title(sceneAt("1.3"))).toBe("Why 1.3 docs has ended (esc closes)");
	expect(told(sceneAt("1.3"))).toBe(
		"1.3 reached a limit at TIME: turn limit reached (max-turns 50)\n↳ max-turns 50 was set for the run at TIME",
	);
	expect(told(sceneAt("1.1.1", STOPPED))).toMatch(
		/^1\.1\.1 was stopped at TIME: from the dashboard[^↳]*↳ 1\.1 was stopped at TIME[^↳]*↳ agent 1\.1 was asked to stop at TIME/,
	);
	expect(told(sceneAt("1.2", [KILLED]))).toMatch(/SIGKILL.*; the signal did not come from agentree$/);
});

test("who has sent a signal is not guessed when the events do not go back to that time", () => {
	for (const events of [[], [KILLED]]) {
		const shown = told(sceneAt("1.2", [KILLED], { events }));
		expect(shown).toMatch(/^1\.2 was killed by SIGKILL at TIME \(process \d+\)\n\nthe cause is not among/);
		expect(shown).toMatch(/for the full log: agent why 20261127-201530-k3f9\/1\.2$/);
	}
});

test("it scrolls when it is longer than the box, and else leaves the keys to the tree", () => {
	const low = { columns: 40, rows: 2 };
	const scene = sceneAt("1.1.1", STOPPED);
	expect(title(scene, low)).toBe("Why 1.1.1? (↑↓, esc)");
	expect(title(scene, { columns: 80, rows: 2 })).toMatch(/^Why 1\.1\.1 .* \(↑↓ for more, esc closes\)$/);
	const all = text(scene, { columns: 40, rows: 50 });
	const moved = whyPane.act("down", scene, low);
	expect(text({ ...scene, ...moved }, low)).toEqual(all.slice(1));
	const end = whyPane.act("page_down", { ...scene, ...moved }, { ...low, rows: 20 });
	expect(end).toBe(undefined);
	expect(whyPane.act("up", scene, low)?.ui.open).toMatchObject({ top: 0 });
	expect(whyPane.act("down", scene, SIZE)).toBe(undefined);
	const other = { ...scene, ui: { ...scene.ui, ...moved?.ui, selected: "1.1" } };
	expect(text(other, low)[0]).toMatch(/1\.1 was stopped/);
});
