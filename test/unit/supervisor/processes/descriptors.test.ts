import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import { fewFilesNotice, maxConnections, tooManyOpen } from "../../../../src/supervisor/processes/machine-resources.ts";

const promised = (maxAgents: number, model = "shell") => ({ model, limits: { ...DEFAULT_LIMITS, maxAgents } });

test("an agent may join while files are left for each call and for what is open for a moment", () => {
	const most = 60;
	expect(tooManyOpen({ open: 48, most }, promised(64))).toBeUndefined();
	expect(tooManyOpen({ open: 49, most }, promised(64))).toBe(
		"the supervisor can have at most 60 open files (ulimit -n), one per agent: wait for other agents to end, or do this task yourself",
	);
	const calls = DEFAULT_LIMITS.maxConcurrency;
	expect(tooManyOpen({ open: 48 - calls, most }, promised(64, "claude-opus-5"))).toBeUndefined();
	expect(tooManyOpen({ open: 49 - calls, most }, promised(64, "claude-opus-5"))).toMatch(/^the supervisor can have/);
	expect(tooManyOpen(undefined, promised(64))).toBeUndefined();
});

test("a notice with the remedy is given only for limits that promise more agents than open files allow", () => {
	expect(fewFilesNotice(promised(220), 256)).toBeUndefined();
	expect(fewFilesNotice(promised(221), 256)).toBe(
		"ulimit -Hn 256 allows only about 220 live agents, fewer than --max-agents 221: more are refused; raise the limit to 257 (ulimit -n as root, LimitNOFILE=, docker run --ulimit nofile=), or lower --max-agents",
	);
	expect(fewFilesNotice(promised(64, "claude-opus-5"), 108)).toBeUndefined();
	expect(fewFilesNotice(promised(64, "claude-opus-5"), 107)).toMatch(/about 63 live agents/);
	expect(fewFilesNotice(promised(1_000_000), Number.POSITIVE_INFINITY)).toBeUndefined();
});

test("the bound on connections leaves files for agents that are told why they are refused", () => {
	expect(maxConnections({ open: 22, most: 256 })).toBe(228);
	expect(maxConnections({ open: 22, most: 20 })).toBe(1);
});
