/** Runs in a temporary home, as their supervisors left them. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "../../../../src/core/model/message.ts";
import type { RunFile } from "../../../../src/core/schemas/run-files.ts";
import { eventsPath, runDirectory, runFilePath } from "../../../../src/record/run-directory.ts";
import { toFile } from "../../../../src/record/spelling.ts";
import { runFile, T0 } from "../../record/fabricate.ts";

export interface Fabricated extends Partial<RunFile> {
	/** Texts of the root's transcript, of the person and of the agent in turn. */
	says?: readonly string[];
}

/** Makes the run; a second between two numbers. Its id ends with `e` and the number. */
export function fabricateRun(home: string, number: number, { says = [], ...changes }: Fabricated = {}): RunFile {
	const startedAt = T0 + number * 1_000;
	const run = `20261127-201530-e${number}`;
	const file = runFile({ run, startedAt, endedAt: startedAt + 500, ending: { by: "answer" }, exitCode: 0, ...changes });
	const directory = runDirectory(home, file.run);
	mkdirSync(join(directory, "1"), { recursive: true });
	writeFileSync(runFilePath(directory), JSON.stringify(toFile(file)));
	writeFileSync(eventsPath(directory), "");
	utimesSync(eventsPath(directory), startedAt / 1_000, startedAt / 1_000);
	writeFileSync(join(directory, "1/transcript.jsonl"), says.map((text, at) => `${lineOf(text, at)}\n`).join(""));
	return file;
}

function lineOf(text: string, at: number): string {
	const content: Message["content"] = [{ type: "text", text }];
	if (at % 2 === 0) return JSON.stringify({ role: "user", content, at: T0 });
	const usage = { input: 10, output: 5, cache_read: 0, cache_write: 0 };
	const turn = (at + 1) / 2;
	return JSON.stringify({
		role: "assistant",
		content,
		at: T0,
		turn,
		model: "m",
		stop_reason: "end_turn",
		usage,
		cost_usd: 0,
	});
}
