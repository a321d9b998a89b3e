/**
 * Plans a run: from what a person asks for and what was found (gather-facts.ts) to all that its supervisor is told. Every run is planned
 * here, new or resumed, whatever its face. Pure.
 */
import { dirname } from "node:path";
import { SKIPPED } from "../../core/ask-mode.ts";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { DEFAULT_LIMITS, type Limits, narrow } from "../../core/limits/limits.ts";
import { accessTo } from "../../core/machine/sandbox.ts";
import type { WrittenRules } from "../../core/rules/rule.ts";
import type { RunState } from "../../core/run/run-state.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import type { AgentFile, RunFile } from "../../core/schemas/run-files.ts";
import { factsOf } from "../../models/catalogue.ts";
import type { Credentials } from "../../models/provider/provider.ts";
import type { UserHost } from "../../models/provider/user-host.ts";
import { hintAboutModel, resolveModel } from "../../models/providers.ts";
import type { UserConfiguration } from "../../models/user-configuration.ts";
import type { AskingRequest } from "../../project/config/asking-options.ts";
import type { RunRequest } from "../../project/config/run-request.ts";
import type { FoundRole } from "../../project/instructions/find-role.ts";
import type { HeldLock } from "../../record/run-lock.ts";
import { NONE_IF_READ_ONLY, noWritableRepository } from "../../view/words/worktrees.ts";
import type { AskingSettings, RunSettings, SuperviseOrder } from "../../wire/supervise-order.ts";
import type { Configuration } from "../io/user-files.ts";
import type { FoundSources } from "./instruction-sources.ts";
import { type FormerSandbox, type FoundSandbox, planSandbox } from "./sandbox-of-run.ts";
import type { Face, StartRequest } from "./start-request.ts";

/** A run that is over, as its files have it. */
export interface EndedRun {
	/** The state directory. */
	readonly home: string;
	readonly directory: string;
	readonly file: RunFile;
	readonly state: RunState;
	/** The run's lock, if its dead supervisor has left it. */
	readonly held: HeldLock | undefined;
	/** The run comes from elsewhere: none of the bounds in its files counts. */
	readonly isForeign: boolean;
}

/** What a run depends on beside what is asked for. */
export interface RunFacts {
	readonly run: string;
	/** The state directory. */
	readonly home: string;
	readonly socket: string;
	readonly task: string;
	readonly limits: Limits;
	readonly role?: FoundRole | undefined;
	readonly models: FoundModels;
	readonly configuration: Pick<UserConfiguration, "ask" | "permissions">;
	readonly sources: Pick<FoundSources, "instructions" | "rules">;
	/** The user's lasting answers about commands of this project. */
	readonly answers?: AnswersForProject | undefined;
	/** Of the root. */
	readonly worktree?: OwnWorktree | undefined;
	readonly sandbox: FoundSandbox;
	readonly process: Pick<
		RunSettings,
		"bounds" | "version" | "nodeProgram" | "agentProgram" | "env" | "commandFiles" | "retryPolicy"
	>;
	/** The run that is resumed, with the file of its root agent if that can be read. */
	readonly before?: (EndedRun & { readonly root: AgentFile | undefined }) | undefined;
}

export interface FoundModels
	extends Pick<RunSettings, "model" | "modelFrom" | "fallbackModels" | "takesAnyModel" | "prices" | "hosts"> {
	/** With the keys that were fetched for these models. */
	readonly credentials: Credentials;
}

/** `message`: to the root of a resumed run. Throws AgentreeError("usage"). */
export function planRun(
	request: StartRequest,
	{ face, message }: { readonly face: Face; readonly message?: string | undefined },
	facts: RunFacts,
): SuperviseOrder {
	const { run, home, socket, task, limits, before, sources } = facts;
	const { credentials, ...models } = facts.models;
	const { cwd, keepsBackground, name, jsonSchema } = request;
	const sandbox = planSandbox(facts.sandbox, request.sandbox, before && formerSandbox(before.file, before));
	const worktree = before === undefined ? facts.worktree : undefined; // a resumed root still has its own
	if (worktree !== undefined) requireRoomFor(worktree, sandbox);
	const settings: RunSettings = {
		...{ run, home, socket, task, cwd, limits, keepsBackground, ...models, ...facts.process, ...sandbox },
		rootStdio: rootStdioOf(request, face),
		instructions: sources.instructions,
		...defined({
			...promptsOf(request, facts),
			...{ name, jsonSchema, worktree },
			asking: askingOf(request.asking, face, facts),
			isConversation: face === "stream" || face === "chat" ? (true as const) : undefined,
		}),
	};
	if (before === undefined) return { settings, credentials };
	return { settings, credentials, resume: { held: before.held, ...defined({ message }) } };
}

export function rootStdioOf(
	{ outputFormat = "text" }: Pick<StartRequest, "outputFormat">,
	face: Face,
): "inherit" | "ignore" {
	return face === "headless" && outputFormat === "text" ? "inherit" : "ignore";
}

/** What the root is told; one that is resumed keeps what it was told. */
function promptsOf(
	{ systemPrompt, appendSystemPrompt, withoutInstructions, effort, compactAt }: StartRequest,
	{ role, before }: RunFacts,
) {
	if (before === undefined)
		return {
			...{ systemPrompt, appendSystemPrompt, compactAt, withoutInstructions },
			...{ effort: effort ?? role?.effort, role: role?.name },
		};
	const { root } = before;
	return {
		...{ systemPrompt: root?.systemPrompt, appendSystemPrompt: root?.appendSystemPrompt, role: root?.role },
		...{ effort: effort ?? root?.effort, compactAt: compactAt ?? root?.compactAt },
		withoutInstructions: isWithoutInstructions(before, withoutInstructions),
	};
}

export function isWithoutInstructions(
	before: RunFacts["before"],
	asked: RunRequest["withoutInstructions"],
): true | undefined {
	return (before?.isForeign === false && before.root?.withoutInstructions) || asked;
}

/** The limits of a run; a resumed one keeps its own, unless it comes from elsewhere. */
export function limitsOf(
	asked: Partial<Limits>,
	{
		before,
		role,
	}: { readonly before?: Pick<EndedRun, "file" | "isForeign"> | undefined; readonly role?: FoundRole | undefined },
): Limits {
	const own: Partial<Limits> = before === undefined || before.isForeign ? {} : before.file.limits;
	return narrow({ ...DEFAULT_LIMITS, ...own, ...asked }, role?.limits ?? {});
}

/** A run that skipped permissions, or could not have a sandbox, decides anew. */
export function formerSandbox(
	{ skipsPermissions, noSandbox }: RunFile,
	{ root, isForeign }: { readonly root: AgentFile | undefined; readonly isForeign: boolean },
): FormerSandbox {
	if (isForeign || root === undefined || skipsPermissions || noSandbox !== undefined) return { is: "unknown" };
	return root.sandbox === undefined ? { is: "none" } : { is: "some", was: root.sandbox };
}

function requireRoomFor(worktree: OwnWorktree, { sandbox }: Pick<RunSettings, "sandbox">): void {
	if (sandbox === undefined) return;
	const { mode, mounts } = sandbox.confinement;
	if (mode === "read-only") throw new AgentreeError("usage", NONE_IF_READ_ONLY);
	if (accessTo(worktree.repository, mounts) !== "write")
		throw new AgentreeError("usage", noWritableRepository(worktree.repository));
}

const NOTHING_ASKED: AskingRequest = { waits: false, rules: { allow: [], ask: [], deny: [] } };

/** What the user has allowed for good in a project. */
export interface AnswersForProject {
	readonly root: string;
	readonly file: string;
	/** Rules that allow, each once. */
	readonly rules: readonly string[];
	/** How many lines of the file cannot be read. */
	readonly damaged: number;
}

/** Whether and how agents may ask the user. The rules of the command line count most, those of the configuration least. */
function askingOf(
	request: AskingRequest = NOTHING_ASKED,
	face: Face,
	{ configuration, sources, answers, role }: RunFacts,
): AskingSettings {
	const { timeoutMs } = request;
	const { permissions, ask } = configuration;
	const sets: WrittenRules[] = [
		...(permissions === undefined ? [] : [{ source: "your configuration", ...permissions }]),
		...(sources.rules === undefined ? [] : [sources.rules]),
		...(answers === undefined
			? []
			: [{ source: "your answers for this project", allow: answers.rules, ask: [], deny: [] }]),
		{ source: "the command line", ...request.rules },
	].filter((set) => set.allow.length + set.ask.length + set.deny.length > 0);
	if (request.skipsPermissions) {
		const rules = someOf(sets.filter(({ deny }) => deny.length > 0).map((set) => ({ ...set, allow: [], ask: [] })));
		return { waits: request.waits, mode: SKIPPED, ...defined({ timeoutMs, rules, narrowing: role?.asking }) };
	}
	const hasScreen = face === "dashboard" || face === "chat";
	const mode = request.mode ?? ask ?? (hasScreen || request.waits ? "edge" : "never");
	const waits = request.waits || (face !== "headless" && mode !== "never");
	const project = answers && { root: answers.root, file: answers.file };
	return { waits, mode, ...defined({ timeoutMs, project, rules: someOf(sets), narrowing: role?.asking }) };
}

function someOf<T>(list: readonly T[]): readonly T[] | undefined {
	return list.length === 0 ? undefined : list;
}

interface PlannedModels {
	readonly model: string;
	/** Where its name comes from: a flag, a variable, a role. */
	readonly modelFrom: string | undefined;
	readonly fallbackModels: readonly string[];
	/** Why the role's model is not used. */
	readonly notice?: string;
}

interface ModelFacts {
	/** The model when none is named. */
	readonly defaultModel: string;
	readonly role: FoundRole | undefined;
	readonly limits: Limits;
	readonly configuration: Pick<Configuration, "prices" | "hosts" | "path">;
	/** A service at an address of the user's own decides itself which models it knows. */
	readonly isAnyTaken: boolean;
}

export const FALLBACK_FROM = "--fallback-model";

/** Which models a run uses. Throws AgentreeError("usage") for an unknown one, and for one whose price is not known where there is a budget. */
export function planModels(request: StartRequest, facts: ModelFacts): PlannedModels {
	const chosen = chosenModel(request, facts);
	requirePrice(chosen.model, chosen.modelFrom, facts);
	const names = request.fallbackModel?.split(",").map((name) => name.trim()) ?? [];
	if (names.includes("")) throw new AgentreeError("usage", `${FALLBACK_FROM} needs names separated by commas: A,B`);
	const { isAnyTaken, configuration } = facts;
	const known = { from: FALLBACK_FROM, isAnyTaken, hosts: configuration.hosts };
	const fallbackModels = names.map((name) => resolveModel(name, request.startedIn, known));
	for (const model of fallbackModels) requirePrice(model, FALLBACK_FROM, facts);
	return { ...chosen, fallbackModels };
}

/** What was typed, else the model of the role, else that of a variable, else the default. A role's model need not be known. */
function chosenModel(
	{ model, modelFrom, startedIn }: Pick<RunRequest, "model" | "modelFrom" | "startedIn">,
	{ role, defaultModel, isAnyTaken, configuration }: ModelFacts,
): Omit<PlannedModels, "fallbackModels"> {
	const hosts: readonly UserHost[] = configuration.hosts;
	const usual = () => ({
		model: resolveModel(model ?? defaultModel, startedIn, { from: modelFrom, isAnyTaken, hosts }),
		modelFrom,
	});
	if (role?.model === undefined || modelFrom === "--model") return usual();
	const from = `the role ${role.name}`;
	try {
		return { model: resolveModel(role.model, dirname(role.path ?? ""), { from, isAnyTaken, hosts }), modelFrom: from };
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		return { ...usual(), notice: `the model of the role ${role.name} is not used: ${error.message}` };
	}
}

/** A budget in dollars needs a known price: calls could not be charged to it otherwise. */
function requirePrice(model: string, from: string | undefined, { limits, configuration }: ModelFacts): void {
	const { prices, path } = configuration;
	if (limits.maxBudgetUsd === undefined || factsOf(model, prices).price.is !== "unknown") return;
	const where = path ?? "the configuration file (agent doctor says where)";
	throw new AgentreeError(
		"usage",
		`the price of the model ${model} is unknown, so a dollar budget cannot be enforced: add its price under "prices" in ${where}, or use --max-tokens${hintAboutModel(model, from)}`,
	);
}
