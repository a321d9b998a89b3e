/**
 * Gathers what a run depends on: files, git, the environment, keys, and the task. What can be wrong is found here, before anything has
 * started, the task and the key first; the user is asked last. plan-run.ts decides from it.
 */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { withoutKeys } from "../../agent/bash/environment.ts";
import { defined } from "../../core/defined.ts";
import { usageError } from "../../core/errors.ts";
import type { Limits } from "../../core/limits/limits.ts";
import { ROOT } from "../../core/model/agent.ts";
import { worktreesOfRun } from "../../core/run/file-events.ts";
import { newRunId } from "../../core/run/run-id.ts";
import type { OwnWorktree } from "../../core/schemas/own-worktree.ts";
import { PAINT_SEQUENCES, paintFor } from "../../faces/print/paint.ts";
import { factsOf } from "../../models/catalogue.ts";
import { DEFAULT_MODEL, openModel, takesAnyName, withFetchedKeys, withoutCredentials } from "../../models/providers.ts";
import { readFileLimit, softLimitOfStarter } from "../../processes/proc-facts.ts";
import { type Chosen, prepareSocket, stateDirectoryOf } from "../../project/config/chosen-directory.ts";
import { bytesNotice } from "../../project/config/not-utf8.ts";
import { readBounds, readRetryPolicy } from "../../project/config/read-limits.ts";
import type { RunRequest } from "../../project/config/run-request.ts";
import { configurationDirectory, homeDirectory, prepareDirectory } from "../../project/config/user-directories.ts";
import type { FoundRole } from "../../project/instructions/find-role.ts";
import { personOf, projectOf } from "../../project/project-of.ts";
import { keepFromGit } from "../../project/repository-around.ts";
import { gitTiesIn, withoutGitTies } from "../../project/run-git.ts";
import { VERSION } from "../../project/version.ts";
import { isWorktreeOf } from "../../project/worktrees/place-worktree.ts";
import { readProjectGrants } from "../../record/project-answers.ts";
import { readableAgentFile } from "../../record/read-run.ts";
import { complain, complainPainted } from "../../terminal/print.ts";
import { readTask, requireTask } from "../../terminal/stdin.ts";
import { noticeOfUncommitted } from "../../view/words/worktrees.ts";
import { AGENT_PROGRAM, type StartingProcess, startingProcess } from "../host/this-process.ts";
import { type Configuration, readConfiguration } from "../io/user-files.ts";
import { readCredentials } from "./credentials.ts";
import { instructionSources, requestedRole } from "./instruction-sources.ts";
import { lookAtSandbox, withOwnDirectories } from "./look-at-sandbox.ts";
import {
	type AnswersForProject,
	type EndedRun,
	FALLBACK_FROM,
	type FoundModels,
	formerSandbox,
	isWithoutInstructions,
	limitsOf,
	planModels,
	type RunFacts,
} from "./plan-run.ts";
import type { StartRequest } from "./start-request.ts";

/**
 * `before`: the run that is resumed. `isTaskGiven`: the request's task is all of it; stdin is for something else. `onPlaced`: called
 * once it is known what the process of its root needs. Throws AgentreeError: `usage`, `key_missing`, `script`, `not_writable`.
 */
export async function gatherFacts(
	request: StartRequest,
	{
		before,
		isTaskGiven = false,
		onPlaced,
	}: {
		readonly before?: EndedRun | undefined;
		readonly isTaskGiven?: boolean;
		readonly onPlaced?: (place: PlacedRun) => void;
	},
	host: StartingProcess = startingProcess(),
): Promise<RunFacts> {
	const { env, uid } = host;
	const { cwd } = request;
	if (before === undefined && !isTaskGiven) requireTask(request.task);
	const resumed = before && { ...before, root: readableAgentFile(before.directory, ROOT) };
	const home = before?.home ?? told(stateDirectoryOf({ env, cwd, uid }));
	const withoutInstructions = isWithoutInstructions(resumed, request.withoutInstructions);
	const readSources = () => instructionSources({ ...request, withoutInstructions }, { ...host, home });
	const early = request.role === undefined ? undefined : await readSources(); // the user is asked last, where that is possible
	const role = early && requestedRole(request, early);
	const limits = limitsOf(request.limits, { before, role });
	if (before !== undefined) (await import("../sessions/resumable.ts")).requireRoom(before.state, limits);
	const { configuration, ...models } = await findModels(request, { limits, role, before }, host);
	const task = before?.file.task ?? (isTaskGiven ? (request.task ?? "") : await readTaskOf(request, models.model));
	const run = before?.file.run ?? newRunId(new Date(host.now), host.random);
	if (before === undefined) {
		prepareDirectory(home, uid);
		keepFromGit(home);
	}
	const socket = told(prepareSocket(run, home, host));
	const ofProcess = processFacts(request, models.hosts, env);
	onPlaced?.({ run, socket, cwd, ...ofProcess });
	const sources = early ?? (await readSources());
	warnNoPermissions(request);
	const had = before?.state.worktrees?.[ROOT];
	const kept = had !== undefined && isWorktreeOf(had, cwd) ? had : undefined;
	const worktree = before === undefined ? await placeOfRoot(request, { run, home, env }) : kept;
	const ofSandbox = {
		...{ env, uid, home, agentProgram: AGENT_PROGRAM, userHome: homeDirectory(env), worktree },
		...{ configured: configuration.sandbox, roleMode: role?.sandbox },
		before: resumed && formerSandbox(resumed.file, resumed),
	};
	const look = lookAtSandbox(request, ofSandbox);
	tell(request, look.notices);
	return {
		...{ run, home, socket, task, limits, role, models, configuration, sources, worktree, before: resumed },
		...{ answers: answersForProject(cwd, env), sandbox: withOwnDirectories(look, request, ofSandbox).found },
		process: ofProcess,
	};
}

/** What the process of a root needs, its output aside. */
type PlacedRun = Pick<RunFacts, "run" | "socket"> & Pick<StartRequest, "cwd"> & RunFacts["process"];

function tell({ isQuiet }: Pick<RunRequest, "isQuiet">, notices: readonly (string | undefined)[]): void {
	if (!isQuiet) for (const notice of notices) if (notice !== undefined) complain(`agent: ${notice}`);
}

/** Prints why a directory or a socket is not where the environment says. */
export function told({ path, notice }: Chosen): string {
	if (notice !== undefined) complain(`agent: ${notice}`);
	return path;
}

/** The task of a run of that model, or the message to one that is resumed, with what stdin adds to it. Throws AgentreeError("usage"). */
export async function readTaskOf(
	{ task: argument, readsStdin, isQuiet }: StartRequest,
	model?: string,
): Promise<string> {
	const { task, addedBytes, damage } = await readTask(argument, readsStdin ? "always" : "if_it_delivers");
	if (addedBytes > 0 && model !== undefined && factsOf(model).answersBytes) throw usageError(NOT_COMMANDS);
	tell({ isQuiet }, [addedBytes > 0 ? `stdin was appended to the task: ${addedBytes} bytes` : undefined]);
	if (damage !== undefined) complain(`agent: ${damage}`);
	return task;
}

const NOT_COMMANDS =
	'--model shell: the task is a command, and stdin would be run as more of it; read its data there, as in "git diff | cat" or "cat < FILE", or add </dev/null';

interface ModelsOf {
	readonly limits: Limits;
	readonly role?: FoundRole | undefined;
	readonly before?: Pick<EndedRun, "file" | "state"> | undefined;
}

/** The models of a run, each of which can be called. Throws AgentreeError: without a key, a script, or a price where there is a budget. */
export async function findModels(
	request: StartRequest,
	{ limits, role, before }: ModelsOf,
	{ env, now }: Pick<StartingProcess, "env" | "now">,
): Promise<FoundModels & { readonly configuration: Configuration }> {
	const configuration = await readConfiguration(env, () => request.cwd);
	const { prices, hosts } = configuration;
	let credentials = readCredentials(env, request, hosts);
	const isAnyTaken = takesAnyName(credentials);
	const defaultModel = before?.state.agents[ROOT]?.model ?? before?.file.model ?? DEFAULT_MODEL;
	const planned = planModels(request, { defaultModel, role, limits, configuration, isAnyTaken });
	const { model, modelFrom, fallbackModels, notice } = planned;
	tell(request, [notice]);
	const open = async (name: string, nameFrom: string | undefined) => {
		credentials = await withFetchedKeys(name, { credentials, hosts, environment: env });
		const host = { credentials, hosts, environment: env, ...readRetryPolicy(env), now: () => now };
		(await openModel(name, { ...host, nameFrom })).close();
	};
	await open(model, modelFrom);
	for (const name of fallbackModels) await open(name, FALLBACK_FROM);
	return {
		...{ model, credentials, configuration, prices, hosts },
		...defined({ modelFrom, takesAnyModel: isAnyTaken || undefined }),
		...(fallbackModels.length > 0 && { fallbackModels }),
	};
}

function processFacts(
	request: StartRequest,
	hosts: FoundModels["hosts"],
	env: StartingProcess["env"],
): RunFacts["process"] {
	return {
		bounds: readBounds(env),
		retryPolicy: readRetryPolicy(env),
		version: VERSION,
		nodeProgram: process.execPath,
		agentProgram: AGENT_PROGRAM,
		env: withoutCredentials(withoutKeys(agentEnvironment(env, request)), hosts),
		...defined({ commandFiles: softLimitOfStarter(readFileLimit(process.ppid), readFileLimit("self")) }),
	};
}

/** The environment of the run's agents. The user is told where it is not what they may expect. */
export function agentEnvironment(
	env: StartingProcess["env"],
	request: Pick<RunRequest, "cleansGitEnvironment" | "isQuiet">,
): StartingProcess["env"] {
	const clean = request.cleansGitEnvironment === true ? withoutGitTies(env) : env;
	tell(request, [gitNotice(clean), bytesNotice(clean)]);
	return clean;
}

function gitNotice(env: StartingProcess["env"]): string | undefined {
	const ties = gitTiesIn(env);
	if (ties.length === 0) return undefined;
	const are = ties.length === 1 ? "is" : "are";
	return `${ties.join(", ")} ${are} set, as in a git hook: git in the agents' commands uses what they name, wherever it runs; --clean-git-env removes them`;
}

/** Also with --quiet: one line, red on a terminal. */
function warnNoPermissions({ asking }: Pick<StartRequest, "asking">): void {
	if (asking?.skipsPermissions !== true) return;
	const { stderr, env } = process;
	const paint = paintFor(undefined, stderr.isTTY === true, env.NO_COLOR);
	complainPainted(paint.red(`agent: --dangerously-skip-permissions: ${NO_PERMISSIONS}`), PAINT_SEQUENCES);
}

const NO_PERMISSIONS = "no sandbox and no questions, agents can do anything you can";

/** The user's lasting answers about commands of the project; undefined without a home to keep them in. */
export function answersForProject(cwd: string, env: StartingProcess["env"]): AnswersForProject | undefined {
	const directory = configurationDirectory(env);
	const root = projectOf(cwd, personOf(env))?.top;
	if (directory === undefined || root === undefined) return undefined;
	const file = join(directory, "grants.jsonl");
	const { grants, damaged } = readProjectGrants(file);
	const rules = grants.filter(({ project }) => project === root).map(({ rule }) => rule);
	return { root, file, rules: [...new Set(rules)], damaged };
}

const MOST_LOOK_MS = 60_000;

/** Where the root's worktree will be; nothing is made yet. Throws AgentreeError("usage") where there can be none. */
async function placeOfRoot(
	request: StartRequest,
	{ run, home, env }: { readonly run: string; readonly home: string; readonly env: StartingProcess["env"] },
): Promise<OwnWorktree | undefined> {
	if (request.worktree === undefined) return undefined;
	const { name } = request.worktree;
	const { repositoryGit } = await import("../../project/worktrees/repository-git.ts");
	const { lookAtRepository, placeOf, requireFree } = await import("../../project/worktrees/place-worktree.ts");
	const git = repositoryGit({ env, signal: AbortSignal.timeout(MOST_LOOK_MS) });
	const facts = await lookAtRepository(request.cwd, git, personOf(env));
	const within = worktreesOfRun(run, realpathSync(home));
	if (name !== undefined) await requireFree(facts, { name, within }, git);
	const place = placeOf(facts, name ?? `${run}-${ROOT}`, within);
	tell(request, [noticeOfUncommitted(place)]);
	return place;
}
