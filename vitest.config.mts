import { spawnSync } from "node:child_process";
import { defineConfig } from "vitest/config";

const isSoak = process.env.AGENTREE_SOAK !== undefined;
const soak = "test/process/soak/*.test.ts";

/** Commands run in a sandbox by default. What is promised of processes also holds without one: these run once more, without. */
const OF_PROCESSES = [
	...["bash", "belonging", "ending", "limits"].map((area) => `test/process/${area}/*.test.ts`),
	...["run", "wait", "send", "detach"].map((name) => `test/process/cli/${name}.test.ts`),
	...["anthropic", "api-limits", "api-budget", "broken-streams"].map((name) => `test/process/api/${name}.test.ts`),
];

/** These are about runs without one, and run there alone. */
const OF_NO_SANDBOX = ["off", "no-bubblewrap"].map((name) => `test/process/matrix/${name}.test.ts`);

const ofProcesses = {
	globalSetup: ["test/process/needs-build.ts"],
	maxWorkers: 4, // they wait for other processes more than they work
	isolate: false, // a fifth of a worker's time went into loading what the file before had loaded
};

const TRIAL = ["--unshare-user", "--unshare-pid", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"];
const trial = spawnSync("bwrap", TRIAL, { encoding: "utf8" });
const noSandbox = trial.status === 0 ? undefined : (trial.error?.message ?? trial.stderr.trim());
if (noSandbox !== undefined) process.stderr.write(`no test runs in a sandbox (package bubblewrap): ${noSandbox}\n`);
const BY_DEFAULT = noSandbox === undefined ? "" : "off"; // empty: as where nobody sets the variable

export default defineConfig({
	test: {
		maxWorkers: 2,
		env: { TZ: "UTC" }, // the times printed are local
		...{ testTimeout: 60_000, hookTimeout: 60_000 }, // on a busy machine what takes a second takes twenty
		projects: [
			{
				extends: true,
				test: {
					name: "unit",
					include: ["test/unit/**/*.test.ts"],
					isolate: false, // they share nothing that changes, and a process for each file costs more than its tests
					sequence: { groupOrder: 0 },
				},
			},
			{
				extends: true,
				test: {
					name: "process",
					include: isSoak ? [soak] : ["test/process/**/*.test.ts"],
					exclude: isSoak ? [] : [soak, ...(noSandbox === undefined ? OF_NO_SANDBOX : [])],
					env: { AGENTREE_SANDBOX: process.env.TEST_SANDBOX ?? BY_DEFAULT },
					sequence: { groupOrder: 1 },
					...ofProcesses,
				},
			},
			{
				extends: true,
				test: {
					name: "unsandboxed",
					include: isSoak || noSandbox !== undefined ? [] : [...OF_PROCESSES, ...OF_NO_SANDBOX], // without bubblewrap the project above ran them so
					env: { AGENTREE_SANDBOX: "off" },
					sequence: { groupOrder: 2 },
					...ofProcesses,
				},
			},
		],
	},
});
