/** Prepares a run: makes its settings from the request. Everything that can be wrong is found before anything starts. */

import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { withoutKeys } from "../../agent/bash/environment.ts";
import { defined } from "../../core/defined.ts";
import { AgentreeError } from "../../core/errors.ts";
import { DEFAULT_LIMITS, type Limits, narrow } from "../../core/limits/limits.ts";
import { ROOT } from "../../core/model/agent.ts";
import { newRunId } from "../../core/run/run-id.ts";
import { factsOf } from "../../models/catalogue.ts";
import type { Credentials, ModelHost } from "../../models/provider/provider.ts";
import type { UserHost } from "../../models/provider/user-host.ts";
import {
	DEFAULT_MODEL,
	hintAboutModel,
	openModel,
	resolveModel,
	takesAnyName,
	withFetchedKeys,
	withoutCredentials,
} from "../../models/providers.ts";
import { readFileLimit, softLimitOfStarter } from "../../processes/file-limit.ts";
import { readBounds } from "../../project/config/bounds.ts";
import { type Chosen, prepareSocket, stateDirectoryOf } from "../../project/config/chosen-directory.ts";
import { readRetryPolicy } from "../../project/config/retry-policy.ts";
import type { RunRequest } from "../../project/config/run-request.ts";
import { prepareDirectory } from "../../project/config/state-directory.ts";
import { keepFromGit } from "../../project/files/keep-from-git.ts";
import type { FoundRole } from "../../project/instructions/find-role.ts";
import { VERSION } from "../../project/version.ts";
import type { RunSettings } from "../../supervisor/run-settings.ts";
import { complain } from "../../terminal/print.ts";
import { readTask, requireTask } from "../../terminal/stdin.ts";
import { noticeOfUncommitted } from "../../view/words/worktrees.ts";
import type { SuperviseOrder } from "../../wire/supervise-order.ts";
import { answersForProject } from "./answers-for-project.ts";
import { placeOfRoot, requireRoomFor } from "./asked-worktree.ts";
import { askingOfRun, type Face } from "./asking-of-run.ts";
import { type Configuration, readConfiguration } from "./configuration.ts";
import { readCredentials } from "./credentials.ts";
import { instructionSources } from "./instruction-sources.ts";
import { requestedRole } from "./requested-role.ts";
import { runEnvironment } from "./run-environment.ts";
import { sandboxOfRun } from "./sandbox-of-run.ts";
import type { StartRequest } from "./start-request.ts";
import { warnNoPermissions } from "./warn-no-permissions.ts";

/** All that a supervisor process is told. It goes over a pipe, never through argv or the environment, which others can read. */
export type PreparedRun = SuperviseOrder;

/** What a run gets of the process that starts it. */
export interface RunHost {
	env: Readonly<Record<string, string | undefined>>;
	now: number;
	random: () => number;
	uid: number;
}

export interface RunFace {
	/** Where the root's answer goes. */
	readonly rootStdio: "inherit" | "ignore";
	readonly face: Face;
}

/** Prepares a new run. Throws AgentreeError: `usage`, `key_missing`, `script`, `not_writable`. */
export async function prepareRun(
	request: StartRequest,
	{ rootStdio, face }: RunFace,
	host: RunHost,
): Promise<PreparedRun> {
	const { env, uid } = host;
	const { cwd, jsonSchema, compactAt, systemPrompt, appendSystemPrompt, withoutInstructions } = request;
	if (!request.isStdinTaken) requireTask(request.task);
	const home = told(stateDirectoryOf({ env, cwd, uid }));
	const findSources = () => instructionSources(request, { ...host, home });
	const early = request.role === undefined ? undefined : await findSources(); // a person is asked last, where it can be
	const role = early === undefined ? undefined : requestedRole(request, early);
	const limits = narrow({ ...DEFAULT_LIMITS, ...request.limits }, role?.limits ?? {});
	const asked = { request, limits, role };
	const { credentials, configuration, ...forModels } = await prepareModel(DEFAULT_MODEL, asked, host);
	const { sandbox: configured } = configuration;
	const task = request.isStdinTaken ? (request.task ?? "") : await readTaskOf(request);
	const run = newRunId(new Date(host.now), host.random);
	prepareDirectory(home, uid);
	keepFromGit(home);
	const socket = told(prepareSocket(run, home, host));
	const { instructions, rules: ofProject } = early ?? (await findSources());
	const around = { configuration, face, ofProject, role, answers: answersForProject(cwd, env) };
	const usual = `${run}-${ROOT}`;
	warnNoPermissions(request);
	const worktree = request.worktree && (await placeOfRoot(request.worktree, usual, { run, cwd, home, env }));
	const absent = worktree && noticeOfUncommitted(worktree);
	if (absent !== undefined && !request.isQuiet) complain(`agent: ${absent}`);
	const confining = { agentProgram: AGENT_PROGRAM, roleMode: role?.sandbox, configured, worktree };
	const sandbox = sandboxOfRun(request, { ...host, home, ...confining });
	requireRoomFor(worktree, sandbox);
	const settings: RunSettings = {
		run,
		home,
		socket,
		task,
		cwd,
		limits,
		...forModels,
		rootStdio,
		keepsBackground: request.keepsBackground,
		...settingsOfHost(env, request, forModels.hosts),
		...sandbox,
		...defined({
			asking: askingOfRun(request.asking, around),
			name: request.name,
			effort: request.effort ?? role?.effort,
			compactAt,
			systemPrompt,
			appendSystemPrompt,
			jsonSchema,
			worktree,
		}),
		...defined({ role: role?.name, withoutInstructions, instructions }),
	};
	return { settings, credentials };
}

/** Says where a run lies when it is not where the environment says. */
export function told({ path, notice }: Chosen): string {
	if (notice !== undefined) complain(`agent: ${notice}`);
	return path;
}

/** The task of a run, or the message that one goes on with. A person is told of what was added to it. */
export async function readTaskOf({ task: argument, readsStdin, isQuiet }: StartRequest): Promise<string> {
	const { task, addedBytes, damage } = await readTask(argument, readsStdin ? "always" : "if_it_delivers");
	if (addedBytes > 0 && !isQuiet) complain(`agent: stdin is added to the task: ${addedBytes} bytes`);
	if (damage !== undefined) complain(`agent: ${damage}`);
	return task;
}

type ModelSettings = Pick<
	RunSettings,
	"model" | "modelFrom" | "fallbackModels" | "takesAnyModel" | "prices" | "hosts" | "retryPolicy"
>;

/**
 * The run's model and what its calls need. `defaultModel`: the model when none is named. Throws AgentreeError when the model
 * cannot be called: no key, no script, no price where there is a budget.
 */
export async function prepareModel(
	defaultModel: string,
	{ request, limits, role }: { request: StartRequest; limits: Limits; role?: FoundRole | undefined },
	{ env, now }: Pick<RunHost, "env" | "now">,
): Promise<Pick<PreparedRun, "credentials"> & ModelSettings & { configuration: Configuration }> {
	const configuration = await readConfiguration(env, () => request.cwd);
	const { prices, hosts } = configuration;
	const read = readCredentials(env, request, hosts);
	const isAnyTaken = takesAnyName(read);
	const { model, nameFrom, notice } = chosenModel(request, role, { defaultModel, isAnyTaken, hosts });
	if (notice !== undefined && !request.isQuiet) complain(`agent: ${notice}`);
	requirePrice(model, { limits, configuration, nameFrom });
	const fetched = await withFetchedKeys(model, { credentials: read, hosts, environment: env });
	const retryPolicy = readRetryPolicy(env);
	const modelHost = { credentials: fetched, hosts, environment: env, ...retryPolicy, now: () => now };
	(await openModel(model, { ...modelHost, nameFrom })).close();
	const { models, credentials } = await openFallbacks(request, { ...modelHost, isAnyTaken }, (other, from) =>
		requirePrice(other, { limits, configuration, nameFrom: from }),
	);
	const fallbackModels = models.length === 0 ? {} : { fallbackModels: models };
	const names = { ...defined({ modelFrom: nameFrom }), ...(isAnyTaken && { takesAnyModel: true }) };
	return { model, credentials, configuration, retryPolicy, prices, hosts, ...names, ...fallbackModels };
}

/** The settings that come from the process that supervises the run. */
export function settingsOfHost(
	env: RunHost["env"],
	request: StartRequest,
	hosts: readonly UserHost[],
): Pick<RunSettings, "bounds" | "version" | "nodeProgram" | "agentProgram" | "env" | "commandFiles"> {
	const commandFiles = softLimitOfStarter(readFileLimit(process.ppid), readFileLimit("self"));
	return {
		bounds: readBounds(env),
		version: VERSION,
		nodeProgram: process.execPath,
		agentProgram: AGENT_PROGRAM,
		env: withoutCredentials(withoutKeys(runEnvironment(env, request)), hosts),
		...defined({ commandFiles }),
	};
}

/** Refuses a budget in dollars for a model without a known price: its calls could not be charged to it. */
function requirePrice(
	model: string,
	{ limits, configuration, nameFrom }: { limits: Limits; configuration: Configuration; nameFrom: string | undefined },
): void {
	const { prices, path } = configuration;
	if (limits.maxBudgetUsd === undefined || factsOf(model, prices).price.is !== "unknown") return;
	const where = path ?? "the configuration file (agent doctor says where)";
	throw new AgentreeError(
		"usage",
		`no price is known for the model ${model}, so a budget in dollars cannot be kept: give its price under "prices" in ${where}, or bound the run by --max-tokens${hintAboutModel(model, nameFrom)}`,
	);
}

/** The child's bundle, beside the folder of this one. */
export const AGENT_PROGRAM = fileURLToPath(new URL("../agent.js", import.meta.url));

/** The models that take over when one is overloaded or gone: each can be opened, and has a price where a budget needs one. */
interface OpenedFallbacks {
	readonly models: readonly string[];
	/** With the keys that were fetched for them. */
	readonly credentials: Credentials;
}

/** `check`: throws AgentreeError for a model that a budget cannot bind. Throws AgentreeError for one that cannot be opened. */
async function openFallbacks(
	{ fallbackModel, startedIn }: Pick<StartRequest, "fallbackModel" | "startedIn">,
	{ isAnyTaken, ...host }: Omit<ModelHost, "nameFrom"> & { readonly isAnyTaken: boolean },
	check: (model: string, nameFrom: string) => void,
): Promise<OpenedFallbacks> {
	const nameFrom = "--fallback-model";
	const names = fallbackModel?.split(",").map((name) => name.trim()) ?? [];
	if (names.includes("")) throw new AgentreeError("usage", `${nameFrom} needs names with commas between: A,B`);
	let { credentials } = host;
	const models: string[] = [];
	for (const name of names) {
		const model = resolveModel(name, startedIn, { from: nameFrom, isAnyTaken, hosts: host.hosts });
		check(model, nameFrom);
		credentials = await withFetchedKeys(model, { ...host, credentials });
		(await openModel(model, { ...host, credentials, nameFrom })).close();
		models.push(model);
	}
	return { models, credentials };
}

/** Which model a run's root gets: what was typed, else its role's, else that of a variable, else the default. */
interface ChosenModel {
	readonly model: string;
	readonly nameFrom: string | undefined;
	/** A line for people, when the role's model is not used. */
	readonly notice?: string;
}

/** Throws AgentreeError("usage") for an unknown model, but not for one of a role. */
function chosenModel(
	{ model, modelFrom, startedIn }: Pick<RunRequest, "model" | "modelFrom" | "startedIn">,
	role: Pick<FoundRole, "name" | "model" | "path"> | undefined,
	{ defaultModel, ...known }: { defaultModel: string; isAnyTaken: boolean; hosts?: readonly UserHost[] },
): ChosenModel {
	const isTyped = modelFrom === "--model";
	const usual = () => ({
		model: resolveModel(model ?? defaultModel, startedIn, { from: modelFrom, ...known }),
		nameFrom: modelFrom,
	});
	if (role?.model === undefined || isTyped) return usual();
	const nameFrom = `the role ${role.name}`;
	try {
		return { model: resolveModel(role.model, dirname(role.path ?? ""), { from: nameFrom, ...known }), nameFrom };
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		return { ...usual(), notice: `of the role ${role.name} the model has no effect: ${error.message}` };
	}
}
