import { spawnSync } from "node:child_process";
import { defineConfig } from "vitest/config";

const isSoak = process.env.AGENTREE_SOAK !== undefined;
const soak = "test/process/soak/*.test.ts";

/** What is promised of processes holds for commands in a sandbox as for others: these run once more, with one. */
const OF_PROCESSES = [
	...["bash", "belonging", "ending", "limits"].map((area) => `test/process/${area}/*.test.ts`),
	...["run", "wait", "send", "detach"].map((name) => `test/process/cli/${name}.test.ts`),
	...["anthropic", "api-limits", "api-budget", "broken-streams"].map((name) => `test/process/api/${name}.test.ts`),
];

const ofProcesses = {
	globalSetup: ["test/process/needs-build.ts"],
	testTimeout: 30_000,
	hookTimeout: 30_000,
	maxWorkers: 4, // they wait for other processes more than they work
};

const TRIAL = ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"];
const trial = spawnSync("bwrap", TRIAL, { encoding: "utf8" });
const noSandbox = trial.status === 0 ? undefined : (trial.error?.message ?? trial.stderr.trim());
if (noSandbox !== undefined) process.stderr.write(`no test runs in a sandbox (package bubblewrap): ${noSandbox}\n`);

export default defineConfig({
	test: {
		maxWorkers: 2,
		projects: [
			{
				extends: true,
				test: {
					name: "unit",
					include: ["test/unit/**/*.test.ts"],
					isolate: false, // they share nothing that changes, and a process for each file costs more than its tests
					testTimeout: 30_000, // dice-rolled ones take seconds on a busy machine
					sequence: { groupOrder: 0 },
				},
			},
			{
				extends: true,
				test: {
					name: "process",
					include: isSoak ? [soak] : ["test/process/**/*.test.ts"],
					exclude: isSoak ? [] : [soak],
					env: { AGENTREE_SANDBOX: process.env.TEST_SANDBOX || "off" },
					sequence: { groupOrder: 1 },
					...ofProcesses,
				},
			},
			{
				extends: true,
				test: {
					name: "sandboxed",
					include: isSoak || noSandbox !== undefined ? [] : OF_PROCESSES,
					env: { AGENTREE_SANDBOX: "workspace" },
					sequence: { groupOrder: 2 },
					...ofProcesses,
				},
			},
		],
	},
});
