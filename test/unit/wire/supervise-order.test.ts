import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/core/limits/limits.ts";
import { DEFAULT_BOUNDS } from "../../../src/core/limits/shortage.ts";
import { DEFAULT_RETRY_POLICY } from "../../../src/core/model/model.ts";
import type { HostFlags } from "../../../src/models/provider/user-host.ts";
import { parseSuperviseOrder, parseSuperviseReply, type SuperviseOrder } from "../../../src/wire/supervise-order.ts";

const price = { upToPromptTokens: 200_000, input: 1.8, output: 9, cacheWrite: 2.25, cacheRead: 0.18 };

const flags: Required<HostFlags> = {
	...{
		maxTokens: "max_tokens",
		systemRole: "developer",
		streamUsage: false,
		thinkingBack: "reasoning",
		effort: "none",
	},
	...{
		callSignatures: true,
		toolChoice: false,
		textAfterResults: false,
		cutsPrompts: true,
		shortCallIds: true,
		encryptedThinking: false,
		thinkingSummary: false,
	},
};

/** With each key that there can be. */
const order: Required<SuperviseOrder> & { settings: Required<SuperviseOrder["settings"]> } = {
	settings: {
		...{ run: "20261127-201530-k3f9", home: "/h", socket: "/s", task: "t", cwd: "/", model: "shell", effort: "low" },
		...{
			modelFrom: "--model",
			fallbackModels: ["a"],
			jsonSchema: "{}",
			worktree: { path: "/w/x", cwd: "/w/x/d", origin: "/p", repository: "/p/.git", branch: "agentree/x", base: "0" },
			takesAnyModel: true,
			name: "the parser",
			isConversation: true,
			noSandbox: "no bwrap",
		},
		...{ compactAt: 0.5, limits: DEFAULT_LIMITS, bounds: DEFAULT_BOUNDS, retryPolicy: DEFAULT_RETRY_POLICY },
		prices: [{ id: "m", contextTokens: 1, maxOutputTokens: 2, tiers: [price] }],
		hosts: [
			{
				...{ name: "lab", baseUrl: "http://h", keyVariables: ["K"], keyCommand: "c", protocol: "responses" },
				headers: { a: "$B" },
				flags,
			},
		],
		...{ systemPrompt: "p", appendSystemPrompt: "a", version: "0.1.0", rootStdio: "ignore", nodeProgram: "/node" },
		...{
			role: "explore",
			withoutInstructions: true,
			asking: {
				...{ waits: true, timeoutMs: 5, mode: "edge" },
				rules: [{ source: "you", allow: ["ls"], ask: [], deny: [] }],
			},
		},
		sandbox: {
			program: "/bwrap",
			confinement: {
				...{ mode: "workspace", network: "proxy", hosts: ["example.org"] },
				mounts: [{ path: "/p", as: "write" }],
			},
		},
		instructions: {
			...{ home: "/u", own: "/u/.config/agentree", homes: ["/u"], owners: [5], uid: 5, trusted: ["/p"] },
			kept: [{ path: "/p/AGENTS.md", text: "x", bytes: 9, digest: "d", isCut: true, isDamaged: true }],
		},
		...{ keepsBackground: false, agentProgram: "/agent.js", commandFiles: 256, env: { PATH: "/bin" } },
	},
	credentials: { A_KEY: "k" },
	resume: {
		held: { number: 1, path: "/l", since: 2, owner: { pid: 3, startTime: "4", pidNamespace: null } },
		message: "go on",
	},
};

test("an order comes over as it was given", () => {
	expect(parseSuperviseOrder(JSON.stringify(order))).toEqual(order);
});

test("a lock whose owner could not be read comes over without one", () => {
	const resume = { held: { number: 1, path: "/l", since: 2, owner: undefined } };
	expect(parseSuperviseOrder(JSON.stringify({ ...order, resume }))).toEqual({ ...order, resume });
});

// Seen to fail with the text taken for an order: a bug, with exit code 70.
test.each(["", "x", "{}", "null", JSON.stringify({ ...order, settings: {} })])("%j is no order", (text) => {
	expect(parseSuperviseOrder(text)).toBeUndefined();
});

test.each([
	{ is: "started", directory: "/runs/1" },
	{ is: "failed", code: "not_writable", message: "the disk is full" },
])("%j is what a supervisor process says", (reply) =>
	expect(parseSuperviseReply(JSON.stringify(reply))).toEqual(reply),
);

test.each(["", "started", '{"is":"started"}', '{"is":"failed","code":"toString","message":""}'])(
	"%j is not what a supervisor process says",
	(line) => expect(parseSuperviseReply(line)).toBeUndefined(),
);
