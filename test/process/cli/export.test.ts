/** `agent show --perfetto` and its like, of a real small tree. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AtifStep } from "../../../src/faces/json/atif/atif-steps.ts";
import { atifErrors } from "../../atif-errors.ts";
import { runProgram, startProgram, temporaryHome } from "../program.ts";

const TASK = 'agent "echo <b>one</b>; exit 3"; agent "agent \\"echo deep\\""';

interface Trajectory {
	readonly agent: { readonly extra: { readonly agent: string } };
	readonly subagent_trajectories?: readonly Trajectory[];
}

function agentsOf({ agent, subagent_trajectories = [] }: Trajectory): string[] {
	return [agent.extra.agent, ...subagent_trajectories.flatMap(agentsOf)];
}

test("a real tree is exported in each format, to a private file and to stdout, and no file is replaced unasked", async () => {
	const home = temporaryHome();
	expect((await startProgram(["run", "--model", "shell", TASK], { home }).ended).code).toBe(0);
	const show = (...args: string[]) => runProgram(["show", ...args], { home });

	expect(await show("--perfetto", "trace.json")).toEqual({
		exit: 0,
		stdout: "",
		stderr: expect.stringMatching(/^agent: wrote \S*trace\.json, [\d.]+ KiB\n$/),
	});
	const trace = readFileSync(join(home, "trace.json"), "utf8");
	expect(statSync(join(home, "trace.json")).mode & 0o777).toBe(0o600);
	const { traceEvents } = JSON.parse(trace) as { traceEvents: { name: string; args: { name: string } }[] };
	const names = traceEvents.filter(({ name }) => name === "thread_name").map(({ args }) => args.name.split(" ")[0]);
	const tracks = [...new Set(names)]; // an agent has a second one where two things were logged in an odd order
	expect(tracks).toEqual(["1", "1.1", "1.2", "1.2.1"]);
	expect(await show("--perfetto", "-")).toEqual({ exit: 0, stdout: trace, stderr: "" });

	expect((await show("--html", "page.html")).stdout).toBe("");
	const page = readFileSync(join(home, "page.html"), "utf8");
	expect(page).toContain("<h1>agent &#34;echo &#60;b&#62;one&#60;/b&#62;; exit 3&#34;; agent");
	expect([...page.matchAll(/<div id="agent-([\d.]+)">/g)].map(([, agent]) => agent)).toEqual(tracks);
	expect(page).not.toMatch(/<script|<link|<img|<b>one|\ssrc=|https?:|url\(/);
	expect((await show("--html", "-")).stdout).toBe(page);

	expect((await show("--atif", "trajectory.json")).stdout).toBe("");
	const trajectory = JSON.parse(readFileSync(join(home, "trajectory.json"), "utf8"));
	expect(atifErrors(trajectory)).toEqual([]);
	expect(agentsOf(trajectory)).toEqual(tracks);
	const refs = trajectory.steps.flatMap((step: AtifStep) =>
		step.observation?.results.flatMap((one) => one.subagent_trajectory_ref),
	);
	expect(refs.flatMap((ref?: { trajectory_id: string }) => ref?.trajectory_id.split("/")[1] ?? [])).toEqual([
		"1.1",
		"1.2",
	]);

	const refused = await show("--perfetto", "trace.json");
	expect(refused).toEqual({
		exit: 2,
		stdout: "",
		stderr: expect.stringMatching(/trace\.json: it already exists; to overwrite: --force/),
	});
	expect((await show("1.1", "--perfetto", "new.json")).stderr).toMatch(
		/exports a whole run: agent show \S+ --perfetto FILE/,
	);
	expect(existsSync(join(home, "new.json"))).toBe(false);
});
