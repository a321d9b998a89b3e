/** A run that was copied from elsewhere goes on only when a person has seen what it would do. */
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { runProgram, startProgram, temporaryHome } from "../program.ts";

const SCRIPT = `
agents:
  - turns:
      - { say: one, run: "echo one >> ran" }
      - { say: First end. }
      - { say: two, run: "echo two >> ran" }
      - { say: Second end. }
`;

async function copiedRun() {
	const home = temporaryHome();
	writeFileSync(join(home, "s.yaml"), SCRIPT);
	const program = startProgram(["run", "-m", "script:s.yaml", "do it\u001b[31m"], { home });
	expect(await program.ended).toMatchObject({ code: 0 });
	const run = basename(await program.runDirectory());
	cpSync(join(home, "agentree"), join(home, "copy"), { recursive: true });
	const inCopy = (...args: string[]) => runProgram(args, { home, env: { AGENTREE_HOME: join(home, "copy") } });
	return { home, run, original: join(home, "agentree", "runs", run), copy: join(home, "copy", "runs", run), inCopy };
}

function change(path: string, how: (file: Record<string, unknown>) => void): void {
	const file = JSON.parse(readFileSync(path, "utf8"));
	how(file);
	writeFileSync(path, JSON.stringify(file));
}

function everythingIn(directory: string): Record<string, string> {
	const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
	return Object.fromEntries(
		entries.map((entry) => {
			const path = join(entry.parentPath, entry.name);
			return [path, entry.isFile() ? readFileSync(path, "utf8") : "directory"];
		}),
	);
}

test("a copied run says what it would do, and goes on with --yes; then it is at home", async () => {
	// Seen to fail: the command ran at once.
	const { home, run, original, copy, inCopy } = await copiedRun();
	// Seen to fail: what its files say of its bounds held.
	change(join(copy, "run.json"), (file) => Object.assign(file.limits as object, { max_turns: 9_999 }));
	const anything = { mode: "workspace", mounts: [{ path: "/", as: "write" }], network: "host", hosts: [] };
	change(join(copy, "1/agent.json"), (file) => Object.assign(file, { sandbox: anything, without_instructions: true }));
	const before = everythingIn(home);
	const refused = await inCopy("resume", run, "go on");
	expect(refused).toMatchObject({ exit: 2, stdout: "" });
	expect(refused.stderr.split("\n")).toEqual([
		`agent: run ${run} comes from elsewhere; it would resume with`,
		"  task: do it",
		`  directory: ${home}`,
		`  model: script:${home}/s.yaml`,
		"  limits and sandbox: as for a new run of yours",
		"  command: echo one >> ran",
		`agent: run ${run} comes from elsewhere (it was created in ${original}): to resume it anyway: agent resume ${run} --yes`,
		"",
	]);
	expect(everythingIn(home)).toEqual(before);
	expect(await inCopy("resume", run, "go on", "--yes")).toMatchObject({ exit: 0, stdout: "Second end.\n" });
	expect(readFileSync(join(home, "ran"), "utf8")).toBe("one\ntwo\n");
	const [file, agent] = ["run.json", "1/agent.json"].map((name) => JSON.parse(readFileSync(join(copy, name), "utf8")));
	expect(file).toMatchObject({ origin: { directory: copy }, limits: { max_turns: expect.toSatisfy((n) => n < 100) } });
	expect(JSON.stringify(agent.sandbox ?? null)).not.toContain('"/",');
	expect(await inCopy("resume", run)).toMatchObject({ exit: 2, stderr: expect.stringMatching(/has answered/) });
}, 90_000);

test("a foreign directory full of links is shown, listed and refused, and nothing is written anywhere", async () => {
	// Seen to fail: agent.json, the transcript and the shims were written through the links.
	const { home, run, copy, inCopy } = await copiedRun();
	const linked = join(home, "linked");
	cpSync(copy, linked, { recursive: true });
	for (const [name, to] of [
		["1/2", linked],
		["bin2", linked],
	] as const)
		symlinkSync(to, join(copy, name));
	const before = everythingIn(home);
	for (const args of [
		["show", run],
		["log", run],
		["ps", run],
		["ps", "-a"],
		["why", run],
		["show", "--json", run],
	])
		expect([args, (await inCopy(...args)).exit]).toEqual([args, 0]);
	const refused = await inCopy("resume", run, "go on", "--yes");
	expect(refused).toEqual({
		...{ exit: 2, stdout: "" },
		stderr: `agent: this run cannot be resumed: ${copy}/1/2 is not a directory; move it away\n`,
	});
	expect(everythingIn(home)).toEqual(before);
	expect(existsSync(join(home, "ran"))).toBe(true);
}, 90_000);
