import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { requireValid } from "../../../../src/record/repair.ts";
import { createRun } from "../../../../src/record/run-writer.ts";
import { writeShims } from "../../../../src/supervisor/processes/start/shim.ts";
import { agentFile, runFile, temporaryHome } from "../fabricate.ts";

test("a run's directory is valid when each thing in it is of its kind, or missing", () => {
	// Seen to fail without requireValid: a FIFO, a directory or a file in their places gave a stack trace, and links were followed.
	const run = createRun(temporaryHome(), runFile());
	run.addAgent(agentFile());
	run.addAgent(agentFile({ agent: "1.1" }));
	run.close();
	const { directory } = run;
	expect(() => requireValid(directory)).not.toThrow();
	const makeDirectory = (path: string) => mkdirSync(path);
	const makeFile = (path: string) => writeFileSync(path, "");
	const makeFifo = (path: string) => execFileSync("mkfifo", [path]);
	const makeLink = (path: string) => symlinkSync(temporaryHome(), path);
	for (const [name, make, kind] of [
		["run.json", makeLink, "a regular file"],
		["1/agent.json", makeLink, "a regular file"],
		["1/out", makeLink, "a directory"],
		["bin", makeLink, "a directory"],
		["1/2", makeLink, "a directory"],
		["2", makeLink, "a directory"],
		["1/transcript.jsonl", makeFifo, "a regular file"],
		["1/1/transcript.jsonl", makeDirectory, "a regular file"],
		["events.jsonl", makeDirectory, "a regular file"],
		[".lock.1", makeDirectory, "a regular file"],
		["bin", makeFile, "a directory"],
		["1/out", makeFile, "a directory"],
	] as const) {
		const path = join(directory, name);
		rmSync(path, { recursive: true, force: true });
		make(path);
		expect(() => requireValid(directory)).toThrow(`this run cannot be resumed: ${path} is not ${kind}; move it away`);
		if (name === "bin")
			expect(() =>
				writeShims(directory, { nodeProgram: "node", agentProgram: "agent.js", hasExtraCertificates: false }),
			).toThrow(`cannot write ${path}`);
		rmSync(path, { recursive: true });
	}
	expect(() => requireValid(directory)).not.toThrow();
});
