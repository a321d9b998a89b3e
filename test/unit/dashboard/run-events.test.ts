import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { RunEvent } from "../../../src/core/run-event.ts";
import { followRunEvents } from "../../../src/dashboard/run-events.ts";
import { toFile } from "../../../src/store/spelling.ts";
import { agentEnded, BUSY_EVENTS, runEnded } from "../../fixtures/dashboard-run.ts";
import { temporaryHome } from "../store/fabricate.ts";

const line = (event: RunEvent) => `${JSON.stringify(toFile(event))}\n`;

function follow(directory: string) {
	const given: (readonly RunEvent[])[] = [];
	let wake = () => {};
	const onEvents = (events: readonly RunEvent[]) => {
		given.push(events);
		wake();
	};
	const stop = followRunEvents(directory, {
		onEvents,
		onError: (error) => {
			throw error;
		},
	});
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
	expect(await next()).toEqual(BUSY_EVENTS);
	const end = line(runEnded(90_000));
	appendFileSync(path, `\n${line(agentEnded("1", 90_000))}${end}`);
	expect(await next()).toEqual([agentEnded("1", 90_000), runEnded(90_000)]);
});

test("a log that cannot be read gives nothing, and is no error", async () => {
	const directory = temporaryHome();
	mkdirSync(join(directory, "events.jsonl"));
	const errors: unknown[] = [];
	const stop = followRunEvents(directory, { onEvents: () => {}, onError: (error) => errors.push(error) });
	await new Promise((resolve) => setImmediate(resolve));
	stop();
	expect(errors).toEqual([]);
});
