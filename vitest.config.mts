import { defineConfig } from "vitest/config";

const isSoak = process.env.AGENTREE_SOAK !== undefined;
const soak = "test/process/soak/*.test.ts";

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
					globalSetup: ["test/process/needs-build.ts"],
					testTimeout: 30_000,
					hookTimeout: 30_000,
					sequence: { groupOrder: 1 },
					maxWorkers: 4, // they wait for other processes more than they work
				},
			},
		],
	},
});
