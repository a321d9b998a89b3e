import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunEvent } from "../../../../src/core/schemas/run-event.ts";
import { followRunEvents } from "../../../../src/faces/dashboard/run-events.ts";
import type { EventsInput } from "../../../../src/faces/dashboard/update.ts";
import { toFile } from "../../../../src/record/spelling.ts";
import { MOST_EVENTS } from "../../../../src/view/events/news.ts";
import { PhaseReader } from "../../../../src/view/timeline/phases.ts";
import { agentEnded, BUSY_EVENTS, runEnded, STARTED_AT, turnStarted } from "../../../fixtures/dashboard-run.ts";
import { temporaryHome } from "../../record/fabricate.ts";

const line = (event: RunEvent) => `${JSON.stringify(toFile(event))}\n`;

function follow(directory: string) {
	const given: EventsInput[] = [];
	let wake = () => {};
	const onInput = (input: EventsInput) => {
		given.push(input);
		wake();
	};
	const stop = followRunEvents(
		{ directory },
		{
			onInput,
			onError: (error) => {
				throw error;
			},
		},
	);
	onTestFinished(stop);
	return async () => {
		while (given.length === 0)
			await new Promise<void>((resolve) => {
				wake = resolve;
			});
		return given.shift();
	};
}

test("what is in the log comes at once without its damaged lines, then what is appended", async () => {
	const directory = temporaryHome();
	const path = join(directory, "events.jsonl");
	const damage = ['{"event":"agent_joi\n', "\0\0\0\n", '{"event":"of another version","at":1}\n', "[]\n"];
	writeFileSync(path, [...BUSY_EVENTS.map(line), ...damage, '{"event":"run_en'].join(""));
	const next = follow(directory);
	const reader = new PhaseReader();
	const changes = BUSY_EVENTS.flatMap((event) => reader.note(event));
	expect(await next()).toEqual({ is: "events", events: BUSY_EVENTS, changes });
	const end = line(runEnded(90_000));
	appendFileSync(path, `\n${line(agentEnded("1", 90_000))}${end}`);
	const answered = { agent: "1", at: STARTED_AT + 90_000, phase: "answered" };
	expect(await next()).toEqual({
		...{ is: "events", events: [agentEnded("1", 90_000), runEnded(90_000)], changes: [answered] },
	});
});

test("a very long log comes in parts, so that something is seen soon; nothing is left out", async () => {
	const directory = temporaryHome();
	const all = Array.from({ length: 2.5 * MOST_EVENTS }, (_, index) => turnStarted("1", index, index));
	writeFileSync(join(directory, "events.jsonl"), all.map(line).join(""));
	const next = follow(directory);
	const parts: RunEvent[][] = [];
	while (parts.flat().at(-1)?.at !== all.at(-1)?.at) {
		const input = await next();
		if (input?.is === "events") parts.push([...input.events]);
	}
	expect(parts).toHaveLength(3);
	expect(parts[0]).toHaveLength(MOST_EVENTS);
	expect(parts[2]?.at(-1)).toEqual(all.at(-1));
});

test("a log that cannot be read is said, and is no error", async () => {
	const directory = temporaryHome();
	mkdirSync(join(directory, "events.jsonl"));
	const why = expect.stringContaining("cannot read");
	expect(await follow(directory)()).toEqual({ is: "events_unreadable", why });
});
