/** A run that cannot be resumed: one line says why, with the right exit code, and the run stays as it was. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { ownPidNamespace } from "../../../src/processes/table/pid-namespace.ts";
import { procTable } from "../../../src/processes/table/process-table.ts";
import { readTranscript } from "../../fixtures/read-transcript.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";

/** Makes this process the supervisor of the run. */
const OURS = {
	pid: process.pid,
	start_time: procTable.read(process.pid)?.startTime,
	pid_namespace: ownPidNamespace(),
};

const SCRIPT = `
agents:
  - turns:
      - { say: one, run: "echo one >> ran" }
      - { say: First end. }
      - { say: two, run: "echo two >> ran" }
      - { say: Second end. }
      - { say: Third end. }
`;

async function answeredRun(): Promise<{
	home: string;
	directory: string;
	run: string;
	resume: () => ReturnType<typeof runProgram>;
}> {
	const home = temporaryHome();
	writeFileSync(join(home, "s.yaml"), SCRIPT);
	mkdirSync(join(home, "work"));
	const program = startProgram(["run", "-m", "script:s.yaml", "-C", "work", "outer"], { home });
	expect(await program.ended).toMatchObject({ code: 0 });
	const directory = await program.runDirectory();
	const run = basename(directory);
	return { home, directory, run, resume: () => runProgram(["resume", run, "go on"], { home }) };
}

function everythingIn(directory: string): Record<string, string> {
	const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	return Object.fromEntries(
		names.map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), "utf8")]),
	);
}

test("a run that cannot go on is refused in one line, and stays as it was", async () => {
	const { home, directory, run, resume } = await answeredRun();
	const saved = join(home, "saved");
	cpSync(directory, saved, { recursive: true });
	const change = (file: string, by: (text: string) => string) =>
		writeFileSync(join(directory, file), by(readFileSync(join(directory, file), "utf8")));
	const cases: [() => void, number, RegExp][] = [
		[
			() => ["run.json", "events.jsonl", "1/agent.json"].map((name) => rmSync(join(directory, name))),
			2,
			/^agent: cannot read .*run\.json: no such file/,
		],
		[
			() => change("run.json", (text) => text.replace(/"version": ".*"/, '"version": "9.1.0"')),
			2,
			/written by agentree 9\.1\.0, and this is/,
		],
		[
			() => change("run.json", (text) => text.replace(/"format": \d+/, '"format": 3')),
			2,
			/has files of format 3, and agentree .* writes format 2: use a later version/,
		],
		[
			() => change("events.jsonl", (text) => text.replaceAll("s.yaml", "gone.yaml")),
			2,
			/cannot read the script .*gone\.yaml: no such file/,
		],
		[
			() => change("events.jsonl", (text) => text.replace(/"model":"[^"]*"/g, '"model":"claude-sonnet-5-5"')),
			77,
			/no key for the model claude-sonnet-5-5/,
		],
		[
			() => rmSync(join(home, "work"), { recursive: true }),
			2,
			/the directory of run .* no longer exists: .*work; create it, or choose another with --cd/,
		],
		[
			() => writeFileSync(join(directory, ".lock.7"), JSON.stringify(OURS)),
			4,
			/is running \(supervisor pid \d+\): agent ps .*; agent stop/,
		],
	];
	for (const [damage, exit, stderr] of cases) {
		damage();
		const before = everythingIn(directory);
		const end = await resume();
		expect(end).toMatchObject({ exit, stdout: "", stderr: expect.stringMatching(stderr) });
		expect(end.stderr.trim().split("\n")).toHaveLength(1);
		expect(everythingIn(directory)).toEqual(before);
		rmSync(directory, { recursive: true });
		cpSync(saved, directory, { recursive: true });
		mkdirSync(join(home, "work"), { recursive: true });
	}
	expect(await runProgram(["resume", `${run}/1.1`], { home })).toMatchObject({ exit: 2 });
	expect(await runProgram(["resume", "also do x"], { home })).toMatchObject({
		exit: 2,
		stderr: expect.stringMatching(/no run "also do x"/),
	});
}, 90_000);

test("without its event log a run goes on from its agents' files: nothing is begun anew", async () => {
	// Seen to fail without lostAgents: the root joined as a new agent, and `echo one` was run again.
	const { home, directory, resume } = await answeredRun();
	rmSync(join(directory, "events.jsonl"));
	rmSync(join(directory, "1", "agent.json"));
	const end = await resume();
	expect(end).toMatchObject({ exit: 0, stdout: "Second end.\n" });
	expect(end.stderr).toMatch(/^agent: events\.jsonl is missing .*\nagent 1: cannot read .*agent\.json: .*; rebuilt\n$/);
	expect(readFileSync(join(home, "work", "ran"), "utf8")).toBe("one\ntwo\n");
	expect(existsSync(join(directory, "1", "agent.json"))).toBe(true);
	const turns = readTranscript(directory, "1").values.flatMap((entry) =>
		entry.role === "assistant" ? [entry.turn] : [],
	);
	expect(turns).toEqual([1, 2, 3, 4]);
	expect(readdirSync(join(directory, "1", "out"))).toEqual(["0001.log", "0002.log"]);
	// Seen to fail without rebuiltRunFile: exit 2, and the run was over for good.
	writeFileSync(join(directory, "run.json"), "");
	expect(await resume()).toMatchObject({
		...{ exit: 0, stdout: "Third end.\n" },
		stderr: expect.stringMatching(/^agent: cannot read .*run\.json: .*; rebuilt from the run's other files\n$/),
	});
}, 90_000);
