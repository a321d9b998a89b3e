/** A run of format 1, whose files have their keys in camelCase, as agentree wrote it then: test/fixtures/old-run. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readEvents } from "../../../src/record/read-events.ts";
import { readRunFile } from "../../../src/record/read-run.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { runProgram, temporaryHome } from "../program.ts";

const FIXTURE = fileURLToPath(new URL("../../fixtures/old-run", import.meta.url));
const RUN = "20261128-091012-rf6v";

function oldRun(): { home: string; directory: string } {
	const home = temporaryHome();
	const [work, directory] = [join(home, "work"), join(home, "agentree", "runs", RUN)];
	mkdirSync(work);
	cpSync(join(FIXTURE, "s.yaml"), join(work, "s.yaml"));
	cpSync(join(FIXTURE, RUN), directory, { recursive: true });
	for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
		const path = join(entry.parentPath, entry.name);
		if (entry.isFile())
			writeFileSync(path, readFileSync(path, "utf8").replaceAll("@WORK@", work).replaceAll("@RUNTIME@", home));
	}
	return { home, directory };
}

test("an old run is listed, shown and explained, without a word of damage", async () => {
	const { home, directory } = oldRun();
	const run = async (...args: string[]) => {
		const { exit, stdout, stderr } = await runProgram(args, { home });
		expect([args, exit, stderr]).toEqual([args, 0, ""]);
		return stdout;
	};
	expect(JSON.parse(await run("ps", RUN, "--json"))).toMatchObject([
		{
			...{ run: RUN, state: "limit", exit_code: 3, turns: 4 },
			usage: { input: 1780, output: 40, cache_read: 5, cache_write: 7 },
			agents: [{ agent: "1", limits: { max_depth: 3, max_turns: 2 }, children: [{ agent: "1.1", state: "answer" }] }],
		},
	]);
	expect(await run("ps", "-a")).toContain(RUN);
	expect(await run("show", RUN)).toMatch(/\$ sleep 9[\s\S]*timed out after 1 s[\s\S]*I have to stop here\./);
	expect(JSON.parse(await run("show", RUN, "--json"))).toMatchObject({
		agent: { agent: "1", limits: { max_turns: 2 }, ending: { by: "limit" }, usage: { cache_read: 5 } },
		messages: readFileSync(join(directory, "1", "transcript.jsonl"), "utf8")
			.trim()
			.split("\n")
			.map((line) => JSON.parse(line)),
	});
	expect(await run("log", RUN, "--json")).toBe(readFileSync(join(directory, "events.jsonl"), "utf8"));
	expect(await run("why", RUN)).toContain("turn limit reached (max-turns 2)");
});

test("an old run goes on, and what is added to it is in format 2", async () => {
	const { home, directory } = oldRun();
	const before = readFileSync(join(directory, "events.jsonl"), "utf8");
	const resumed = await runProgram(["resume", RUN, "--max-turns", "9"], { home });
	expect(resumed).toMatchObject({ exit: 0, stdout: "All is done.\n" });
	const events = readFileSync(join(directory, "events.jsonl"), "utf8");
	expect(events.startsWith(before)).toBe(true);
	expect(events.slice(before.length)).not.toMatch(/"[a-z]+[A-Z]\w*":/);
	expect(readFileSync(join(directory, "1", "agent.json"), "utf8")).not.toMatch(/"[a-z]+[A-Z]\w*":/);
	expect(readEvents(directory).damage).toEqual([]);
	expect(readTranscript(directory, "1").damage).toEqual([]);
	expect(readRunFile(directory)).toMatchObject({ format: 2, ending: { by: "answer" }, exitCode: 0, turns: 5 });
});
