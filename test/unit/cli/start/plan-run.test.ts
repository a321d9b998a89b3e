/** What a supervisor is told of a run, from what is asked for and what was found. */
import { expect, test } from "vitest";
import { limitsOf, planModels, planRun, type RunFacts } from "../../../../src/cli/start/plan-run.ts";
import type { FoundSandbox } from "../../../../src/cli/start/sandbox-of-run.ts";
import { type Face, requestOf, resumeRequest } from "../../../../src/cli/start/start-request.ts";
import { DEFAULT_LIMITS } from "../../../../src/core/limits/limits.ts";
import { DEFAULT_BOUNDS } from "../../../../src/core/limits/shortage.ts";
import { DEFAULT_RETRY_POLICY } from "../../../../src/core/model/model.ts";
import type { OptionValues } from "../../../../src/project/config/option-table.ts";

const HOST = { env: {}, cwd: () => "/" };
const requested = (values: OptionValues = {}) => requestOf("do it", values, HOST);

const SETTINGS = { run: "r", home: "/h", socket: "/s", task: "do it", limits: DEFAULT_LIMITS, cwd: "/" };
const MODELS = { model: "shell", prices: [], hosts: [] };
const PROCESS = {
	...{ bounds: DEFAULT_BOUNDS, retryPolicy: DEFAULT_RETRY_POLICY, version: "1.0.0" },
	...{ nodeProgram: "/node", agentProgram: "/agent", env: { A: "b" } },
};
const INSTRUCTIONS = { uid: 1, homes: [], owners: [], trusted: [], kept: [] };
const facts = (found: Partial<RunFacts> = {}): RunFacts => ({
	...SETTINGS,
	models: { ...MODELS, credentials: { KEY: "k" } },
	...{ configuration: {}, sources: { instructions: INSTRUCTIONS }, sandbox: { is: "off" }, process: PROCESS },
	...found,
});
const plan = (values: OptionValues, face: Face, found?: Partial<RunFacts>) =>
	planRun(requested(values), { face }, facts(found)).settings;

test("a run that nothing more is asked of is told what was found", () => {
	expect(planRun(requested(), { face: "headless" }, facts())).toEqual({
		settings: {
			...{ ...SETTINGS, ...MODELS, ...PROCESS, instructions: INSTRUCTIONS },
			...{ rootStdio: "inherit", keepsBackground: false, asking: { waits: false, mode: "never" } },
		},
		credentials: { KEY: "k" },
	});
});

test("only the answer as text of a headless run is printed by its root; who chats is waited for", () => {
	const how = (face: Face, values: OptionValues = {}) => {
		const { rootStdio, isConversation = false } = plan(values, face);
		return [rootStdio, isConversation];
	};
	expect(how("headless")).toEqual(["inherit", false]);
	expect(how("headless", { "output-format": "json" })).toEqual(["ignore", false]);
	expect(how("dashboard")).toEqual(["ignore", false]);
	expect(how("detached")).toEqual(["ignore", false]);
	expect(how("chat")).toEqual(["ignore", true]);
	expect(how("stream")).toEqual(["ignore", true]);
});

test("flags count before the role, and the role before nothing", () => {
	const role = {
		name: "tester",
		effort: "low",
		notices: [],
		asking: { mode: "always" },
	} as unknown as RunFacts["role"];
	expect(plan({}, "headless", { role })).toMatchObject({
		role: "tester",
		effort: "low",
		asking: { narrowing: { mode: "always" } },
	});
	expect(plan({ effort: "high" }, "headless", { role })).toMatchObject({ effort: "high" });
});

const BEFORE = {
	...{ home: "/h", directory: "/h/runs/r", held: undefined, isForeign: false },
	file: { run: "r", task: "first", cwd: "/", limits: { ...DEFAULT_LIMITS, maxTurns: 7 } },
	state: { agents: {} },
	root: { systemPrompt: "be brief", role: "tester", effort: "low", compactAt: 0.5, withoutInstructions: true },
} as unknown as NonNullable<RunFacts["before"]>;

test("a resumed run keeps what its root was told, and is told the message", () => {
	const resumed = (before: typeof BEFORE) =>
		planRun(resumeRequest("more", {}, before, HOST), { face: "headless", message: "more" }, facts({ before }));
	expect(resumed(BEFORE)).toMatchObject({
		settings: { systemPrompt: "be brief", role: "tester", effort: "low", compactAt: 0.5, withoutInstructions: true },
		resume: { held: undefined, message: "more" },
	});
	expect(resumed({ ...BEFORE, isForeign: true }).settings).not.toHaveProperty("withoutInstructions");
});

test("a resumed run keeps its limits, unless it comes from elsewhere; a role only narrows", () => {
	expect(limitsOf({}, { before: BEFORE }).maxTurns).toBe(7);
	expect(limitsOf({ maxTurns: 9 }, { before: BEFORE }).maxTurns).toBe(9);
	expect(limitsOf({}, { before: { ...BEFORE, isForeign: true } }).maxTurns).toBe(DEFAULT_LIMITS.maxTurns);
	const role = (maxTurns: number) => ({ name: "x", notices: [], limits: { maxTurns } }) as unknown as RunFacts["role"];
	expect([limitsOf({}, { role: role(3) }).maxTurns, limitsOf({}, { role: role(900) }).maxTurns]).toEqual([3, 50]);
});

const PERMISSIONS = { allow: ["Bash(ls)"], ask: ["git push"], deny: ["Bash(rm -rf *)"] };

test.each([
	[{}, "dashboard", undefined, "edge", true],
	[{}, "chat", undefined, "edge", true],
	[{}, "detached", undefined, "never", false],
	[{}, "headless", undefined, "never", false],
	[{ "ask-wait": true }, "headless", undefined, "edge", true],
	[{ ask: "edge" }, "headless", undefined, "edge", false],
	[{ ask: "edge" }, "stream", undefined, "edge", true],
	[{ ask: "always" }, "dashboard", undefined, "always", true],
	[{ ask: "never" }, "dashboard", undefined, "never", false],
	[{ ask: "never", "ask-wait": true }, "dashboard", undefined, "never", true],
	[{}, "headless", "always", "always", false],
	[{}, "dashboard", "never", "never", false],
	[{ ask: "edge" }, "dashboard", "never", "edge", true],
] as const)(
	"with %j, the face %s and %s in the configuration, agents ask %s (waiting: %s)",
	(values, face, ask, mode, waits) => {
		expect(plan(values, face, { configuration: ask === undefined ? {} : { ask } }).asking).toEqual({ mode, waits });
	},
);

test("lasting answers count more than the configuration, and the command line most", () => {
	const answers = { root: "/p", file: "/c/grants.jsonl", rules: ["Bash(make *)"], damaged: 0 };
	expect(
		plan({ "ask-for": "make all" }, "headless", { configuration: { permissions: PERMISSIONS }, answers }).asking,
	).toEqual({
		...{ waits: false, mode: "never", project: { root: "/p", file: "/c/grants.jsonl" } },
		rules: [
			{ source: "your configuration", ...PERMISSIONS },
			{ source: "your answers for this project", allow: ["Bash(make *)"], ask: [], deny: [] },
			{ source: "the command line", allow: [], ask: ["make all"], deny: [] },
		],
	});
});

test("a run that skips permissions keeps only the rules that deny", () => {
	const values = { "dangerously-skip-permissions": true };
	expect(plan(values, "dashboard", { configuration: { permissions: PERMISSIONS } }).asking).toEqual({
		...{ waits: false, mode: "skipped" },
		rules: [{ source: "your configuration", allow: [], ask: [], deny: ["Bash(rm -rf *)"] }],
	});
});

test("a worktree needs a sandbox in which its repository can be written", () => {
	const worktree = { repository: "/p/.git", path: "/w", cwd: "/w" } as unknown as NonNullable<RunFacts["worktree"]>;
	expect(plan({}, "headless", { worktree }).worktree).toBe(worktree);
	const sandbox: FoundSandbox & { is: "some" } = {
		is: "some",
		...{ program: "/bwrap", mode: "read-only" as const, wish: {}, lookAt: () => undefined },
		facts: {
			...{
				cwd: "/p",
				top: "/p",
				repository: ["/p/.git"],
				isTopReadOnly: true,
				homes: [],
				secret: [],
				kept: [],
				pointers: [],
			},
			...{ programs: [], made: [], caches: [], uid: 1, lookAt: () => undefined },
			own: { configuration: undefined, directories: ["/h"], files: [], worktrees: "/h/worktrees" },
		},
	};
	expect(() => plan({}, "headless", { worktree, sandbox })).toThrow(/read-only/);
	expect(() => plan({}, "headless", { sandbox: { ...sandbox, facts: { ...sandbox.facts, cwd: "/h" } } })).toThrow(
		/belongs to agentree itself/,
	);
	expect(plan({}, "headless", { sandbox: { is: "none", reason: "no bwrap" } }).noSandbox).toBe("no bwrap");
});

const modelFacts = { defaultModel: "sonnet", role: undefined, limits: DEFAULT_LIMITS, isAnyTaken: false };
const configuration = { prices: [], hosts: [], path: undefined };

test("what is typed names the model, else the role, else the default; an unknown one of a role is not used", () => {
	const chosen = (values: OptionValues, model?: string) => {
		const role =
			model === undefined ? undefined : ({ name: "tester", model, notices: [] } as unknown as RunFacts["role"]);
		return planModels(requested(values), { ...modelFacts, configuration, role });
	};
	const usual = chosen({}).model;
	expect(chosen({}, "shell")).toEqual({ model: "shell", modelFrom: "the role tester", fallbackModels: [] });
	expect(chosen({ model: "shell" }, "opus")).toMatchObject({ model: "shell", modelFrom: "--model" });
	expect(chosen({}, "nonsense")).toMatchObject({
		model: usual,
		notice: expect.stringMatching(/role tester is not used: unknown/),
	});
	expect(chosen({ "fallback-model": "shell, shell" }).fallbackModels).toEqual(["shell", "shell"]);
	expect(() => chosen({ "fallback-model": "shell,," })).toThrow(/--fallback-model needs names separated by commas/);
});

test("a budget in dollars needs a model with a price", () => {
	const facts = { ...modelFacts, configuration, limits: { ...DEFAULT_LIMITS, maxBudgetUsd: 1 }, isAnyTaken: true };
	expect(() => planModels(requested({ model: "claude-unknown-9" }), facts)).toThrow(/the price of the model/);
});
