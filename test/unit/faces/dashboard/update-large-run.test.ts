/** A run with 5,000 agents. The bounds are those of a slow and busy machine; with the work done for each event they are exceeded tenfold. */

import { beforeAll, expect, test } from "vitest";
import { EMPTY_RUN } from "../../../../src/core/run/run-state.ts";
import { emptyTranscript } from "../../../../src/faces/dashboard/scene/agent-transcript.ts";
import type { Picture } from "../../../../src/faces/dashboard/scene/scene.ts";
import { FIRST_UI } from "../../../../src/faces/dashboard/scene/ui-state.ts";
import { update } from "../../../../src/faces/dashboard/update.ts";
import { view } from "../../../../src/faces/dashboard/view.ts";
import { NO_ACTIVITY } from "../../../../src/view/agents/activity.ts";
import type { ToWatcher } from "../../../../src/wire/watcher-messages.ts";
import { keyed } from "../../../fixtures/keyed.ts";
import { commandStarted, joined, STARTED, turnEnded, turnStarted } from "../../core/run-of.ts";
import { cpuMs } from "../../cpu-ms.ts";

const AGENTS = 5_000;
const BRANCHES = 70;

const NOTHING: Picture = {
	...{
		run: EMPTY_RUN,
		ui: FIRST_UI,
		transcript: emptyTranscript("1"),
		events: [],
		activity: NO_ACTIVITY,
		isLost: false,
	},
	...{ size: { columns: 120, rows: 36 }, now: 10_000 },
};

function messages(): ToWatcher[] {
	const start = (id: string) => [joined(id, {}, 1), turnStarted(id, 1), turnEnded(id, 1), commandStarted(id, 1)];
	const idOf = (n: number) => (n < BRANCHES ? `1.${n + 1}` : `1.${(n % BRANCHES) + 1}.${Math.floor(n / BRANCHES)}`);
	const events = [STARTED, ...start("1"), ...Array.from({ length: AGENTS }, (_, n) => start(idOf(n))).flat()];
	return events.map((event) => ({ say: "event", event }));
}

const received = (picture: Picture, heard: readonly ToWatcher[]) =>
	update(picture, { is: "messages", messages: heard }).picture;

let large: Picture;
let stormMs: number;

/** In a tenth of a second each, as if they came within ten. */
beforeAll(() => {
	const all = messages();
	const step = Math.ceil(all.length / 100);
	stormMs = cpuMs(() => {
		large = NOTHING;
		for (let at = 0; at < all.length; at += step) {
			large = received(large, all.slice(at, at + step));
			view(large);
		}
	});
}, 300_000);

// Seen to fail (32 s) when each event copied the agents.
test("a storm of 5,000 joins costs far less than the time that it takes", () => {
	expect(Object.keys(large.run.agents)).toHaveLength(AGENTS + 1);
	expect(stormMs).toBeLessThan(20_000);
});

test("a key is answered at once", () => {
	const keyMs = cpuMs(() => {
		for (let n = 0; n < 20; n++) {
			large = update(large, { is: "key", key: keyed("down") }).picture;
			view(large);
		}
	});
	expect(large.ui.selected).toBe("1.1.19");
	expect(keyMs / 20).toBeLessThan(50);
});

test("while nothing happens, a second costs next to nothing", () => {
	const idleMs = cpuMs(() => {
		for (let n = 0; n < 20; n++) {
			large = { ...large, now: large.now + 1_000 };
			view(large);
		}
	});
	expect(idleMs / 20).toBeLessThan(30);
});
