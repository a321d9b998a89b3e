/** How much is written for a run of 61 agents: over a slow line it has to fit, and each byte is drawn by the terminal, too. */
import { expect, test } from "vitest";
import type { Agent } from "../../../../src/core/model/agent.ts";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { firstPicture, type Picture } from "../../../../src/faces/dashboard/scene/scene.ts";
import { update } from "../../../../src/faces/dashboard/update.ts";
import { view } from "../../../../src/faces/dashboard/view.ts";
import { difference, type Frame, frameOf } from "../../../../src/tui/screen/cell-frame.ts";
import type { Size } from "../../../../src/tui/text/line.ts";
import { commandEnded } from "../../../fixtures/busy-agents.ts";
import { commandStarted, STARTED_AT, turnEnded, turnStarted } from "../../../fixtures/dashboard-run.ts";
import { SIXTY_ACTIVITY, SIXTY_ANSWERS, SIXTY_NOW, SIXTY_RUN } from "../../../fixtures/sixty-agents.ts";

const SECONDS = 3;
const WORKERS = Object.values(SIXTY_RUN.agents).filter(
	({ state }) => state.is === "running" || state.is === "thinking",
);

/** Bytes a second after the first frame, with so many frames a second; `happens` tells what has happened before a frame. */
function bytesASecond(
	size: Size,
	framesASecond: number,
	happens: (frame: number, picture: Picture) => RunEvent[],
): number {
	const seen = { run: SIXTY_RUN, activity: SIXTY_ACTIVITY, answers: SIXTY_ANSWERS, size };
	let picture: Picture = { ...firstPicture("1", SIXTY_NOW), ...seen };
	let shown: Frame | undefined;
	let bytes = 0;
	for (let frame = 0; frame <= SECONDS * framesASecond; frame++) {
		picture = { ...picture, now: SIXTY_NOW + (frame * 1_000) / framesASecond };
		const messages = happens(frame, picture).map((event) => ({ say: "event" as const, event }));
		picture = update(picture, { is: "messages", messages }).picture;
		const next = frameOf(view(picture), size, { colors: "many", charset: "unicode" });
		if (frame > 0) bytes += Buffer.byteLength(difference(shown, next));
		shown = next;
	}
	return bytes / SECONDS;
}

/** An agent's next event: it begins a command, or ends it and thinks again. */
function nextEvents({ id }: Agent, { run, now }: Picture, round: number): RunEvent[] {
	const at = now - STARTED_AT;
	if (run.agents[id]?.state.is === "running") return [commandEnded(id, at, round), turnStarted(id, at, round + 1)];
	return [turnEnded(id, at, round), commandStarted(id, at, `npm run build -- --part ${round}`, round)];
}

test.each([
	{ columns: 80, rows: 24 },
	{ columns: 120, rows: 36 },
	{ columns: 200, rows: 60 },
])("at $columns×$rows: at most 2 kB/s while nothing happens but time, 20 kB/s while all work", (size) => {
	// Now 0.1, 0.5 and 0.7 kB/s; 3.6, 6.1 and 8.3 kB/s.
	const idle = bytesASecond(size, 1, () => []);
	expect(idle).toBeGreaterThan(0);
	expect(idle).toBeLessThan(2_000);
	const busy = bytesASecond(size, 20, (frame, picture) =>
		[0, 1, 2].flatMap((more) => {
			const step = 3 * frame + more;
			const agent = WORKERS[step % WORKERS.length];
			return agent === undefined ? [] : nextEvents(agent, picture, 2 + Math.floor(step / WORKERS.length));
		}),
	);
	expect(busy).toBeGreaterThan(idle);
	expect(busy).toBeLessThan(20_000);
});
