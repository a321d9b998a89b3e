import { defineConfig } from "vitest/config";

export default defineConfig({
	test: {
		projects: [
			{ test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
			{
				test: {
					name: "process",
					include: ["test/process/**/*.test.ts"],
					testTimeout: 30_000,
					hookTimeout: 30_000,
					fileParallelism: true,
					maxWorkers: 2,
				},
			},
		],
	},
});
