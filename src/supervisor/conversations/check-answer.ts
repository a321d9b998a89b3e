/**
 * Checks answers against JSON Schemas, each in a thread of its own: a schema may have a pattern that takes forever, and it
 * comes from an agent.
 */
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { CheckedAnswer } from "./answer-schema.ts";

const MAX_CHECK_MS = 10_000;
const MAX_MEMORY_MB = 512;

/** `program`: the child's bundle, beside which that of the thread lies. */
export function answerCheck(program: string): (schema: string, answer: string) => Promise<CheckedAnswer> {
	const file = join(dirname(program), "answer-thread.js");
	return (schema, answer) => checkIn(new Worker(file, { workerData: { schema, answer }, ...BOUNDED }));
}

const BOUNDED = { resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB }, env: {}, execArgv: [] };

function checkIn(thread: Worker): Promise<CheckedAnswer> {
	return new Promise((resolve) => {
		const end = (checked: CheckedAnswer) => {
			clearTimeout(timer);
			resolve(checked);
			void thread.terminate();
		};
		const wrong = (problem: string) => end({ is: "wrong", problems: [problem] });
		const timer = setTimeout(() => wrong(`its check took longer than ${MAX_CHECK_MS / 1000} seconds`), MAX_CHECK_MS);
		thread.on("message", end);
		thread.on("error", (error) => wrong(`it cannot be checked: ${error.message}`));
		thread.on("exit", () => wrong("its check ended without a result"));
	});
}
