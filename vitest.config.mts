import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		maxWorkers: 2,
		projects: [
			{
				extends: true,
				test: { name: "unit", include: ["test/unit/**/*.test.ts"], sequence: { groupOrder: 0 } },
			},
			{
				extends: true,
				test: {
					name: "process",
					include: ["test/process/**/*.test.ts"],
					globalSetup: ["test/process/needs-build.ts"],
					testTimeout: 30_000,
					hookTimeout: 30_000,
					sequence: { groupOrder: 1 },
				},
			},
		],
	},
});
