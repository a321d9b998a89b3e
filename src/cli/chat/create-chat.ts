/** Puts one conversation together: what it is made of, and what is said first. */
import { readdirSync } from "node:fs";
import { defined } from "../../core/defined.ts";
import { EFFORTS } from "../../core/effort.ts";
import { preview } from "../../core/preview.ts";
import { shortRunId } from "../../core/run/run-id.ts";
import type { Picks } from "../../faces/chat/chat-host.ts";
import type { ChatEnd, ChatFacts, Choice } from "../../faces/chat/chat-state.ts";
import { findCommand, SLASH_COMMANDS } from "../../faces/chat/commands/slash-commands.ts";
import { converse } from "../../faces/chat/converse.ts";
import type { ChatLine } from "../../faces/chat/output/messages.ts";
import type { UserHost } from "../../models/provider/user-host.ts";
import { DEFAULT_MODEL, PROVIDERS, resolveModel, takesAnyName } from "../../models/providers.ts";
import { SYSTEM_CLOCK } from "../../processes/system-clock.ts";
import { stateDirectoryOf } from "../../project/config/chosen-directory.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import type { RunRequest } from "../../project/config/run-request.ts";
import { homeDirectory } from "../../project/config/user-directories.ts";
import { VERSION } from "../../project/version.ts";
import { readRunFile } from "../../record/read-run.ts";
import { formatAge } from "../../text/durations.ts";
import { HistoryFile } from "../../tui/editor/history-file.ts";
import { SKIPPED_PERMISSIONS } from "../../view/words/sandbox.ts";
import { AGENT_PROGRAM, REQUEST_HOST, startingProcess } from "../host/this-process.ts";
import { typedAhead } from "../io/ask-key.ts";
import { notifierOf } from "../io/notifier.ts";
import { readConfiguration } from "../io/user-files.ts";
import { newestSession } from "../sessions/find-session.ts";
import { lookedAt, runTitle } from "../sessions/session.ts";
import { readCredentials } from "../start/credentials.ts";
import { agentEnvironment, findModels, told } from "../start/gather-facts.ts";
import { type FoundSources, instructionSources, requestedRole } from "../start/instruction-sources.ts";
import { lookAtSandbox } from "../start/look-at-sandbox.ts";
import { limitsOf } from "../start/plan-run.ts";
import { requestOf, type StartRequest } from "../start/start-request.ts";
import { type ChatCommands, CliChatHost } from "./chat-host.ts";
import { beginChatRun, type ChatRun } from "./chat-run.ts";

export interface Started {
	/** Undefined: it begins with the first message. */
	readonly run: ChatRun | undefined;
	readonly message: string | undefined;
	readonly draft?: string | undefined;
	/** Without a run: the person chooses one. */
	readonly picks?: Picks | undefined;
}

export async function createChat(
	{ run, message, draft, picks }: Started,
	values: OptionValues,
	commands: ChatCommands,
): Promise<{ end: ChatEnd; run: ChatRun | undefined }> {
	const { env, stdin, stdout } = process;
	const request = readRequest(message, values);
	const directory = run?.cwd ?? request.cwd;
	const home = told(stateDirectoryOf({ env, cwd: directory, uid: process.getuid?.() ?? 0 }));
	const history = new HistoryFile(home, directory, SYSTEM_CLOCK.now);
	const sources = await beforeTheScreen({ ...request, cwd: directory, ...(run && { isQuiet: true }) }, home);
	const instructions =
		run === undefined ? sources.told.map((path) => shownPath(path, homeDirectory(env), directory)) : [];
	const begin = (first: string, choice: Choice) =>
		beginChatRun({ ...request, ...chosen(choice), task: first, isQuiet: true });
	const { notify, hosts, sandbox: configured } = await readConfiguration(env, () => directory);
	const { found, notices: ofSandbox } =
		run === undefined
			? lookAtSandbox(request, {
					...{ ...startingProcess(), home, agentProgram: AGENT_PROGRAM, configured },
					userHome: homeDirectory(env),
				})
			: { found: undefined, notices: [] };
	const sandboxMode = found?.is === "some" ? found.mode : undefined;
	const check = () => findModels(request, { limits: limitsOf(request.limits, {}) }, startingProcess());
	const host = new CliChatHost({ env, home, directory, commands, begin, check, notify: notifierOf(notify, env) }, run);
	const facts = {
		...factsOf(request, directory, hosts),
		...(run && { model: readRunFile(run.directory).model }), // is shown until the supervisor reports the run
		...(skipsPermissions(request, run) && { skipsPermissions: true as const }),
		...defined({ sandboxMode }),
		roles: sources.roles,
		commands: sources.commands.filter(({ name }) => findCommand(SLASH_COMMANDS, name.toLowerCase()) === undefined),
	};
	const isFresh = run === undefined && message === undefined && picks === undefined;
	const unfinished = isFresh ? unfinishedIn(home, directory) : undefined;
	const end = await converse({
		...{ input: stdin, output: stdout, env, clock: SYSTEM_CLOCK, host, facts, choice: choiceOf(request) },
		...{ typeAhead: typedAhead, history, greeting: greeting(facts, { instructions, run, ofSandbox, unfinished }) },
		...{ message, draft, opening: run === undefined ? { is: "new", picks } : { is: "run", run } },
	});
	if (end.by === "signal" && end.isStarting) await host.abandon(end.signal);
	return { end, run: host.run };
}

function skipsPermissions({ asking }: StartRequest, run: ChatRun | undefined): boolean {
	return (run === undefined ? asking : readRunFile(run.directory))?.skipsPermissions === true;
}

/**
 * What may ask something, and all notices: once the conversation has the terminal, nobody can. Returns what files say here. A
 * chat that is resumed was asked about before. Throws AgentreeError("usage") for an unknown role.
 */
async function beforeTheScreen(request: RunRequest, home: string): Promise<FoundSources> {
	const host = startingProcess();
	agentEnvironment(host.env, request);
	const sources = await instructionSources(request, { ...host, home });
	requestedRole(request, sources);
	return sources;
}

/** The message is no task yet: it may be a slash command. */
function readRequest(message: string | undefined, values: OptionValues): StartRequest {
	return requestOf(message === undefined || message.trim() === "" ? undefined : message, values, REQUEST_HOST);
}

function chosen({ model, effort, role, limits }: Choice): Partial<RunRequest> {
	return defined({
		...{ role, limits },
		...{ model, modelFrom: model === undefined ? undefined : "/model" },
		effort: EFFORTS.find((known) => known === effort),
	});
}

function choiceOf({ effort, role, limits }: RunRequest): Choice {
	return defined({ effort, role, limits });
}

/** Throws AgentreeError("usage") for a model that nobody knows. */
function factsOf(
	request: StartRequest,
	directory: string,
	hosts: readonly UserHost[],
): Omit<ChatFacts, "roles" | "commands"> {
	const { model, modelFrom: from, startedIn } = request;
	const isAnyTaken = takesAnyName(readCredentials(process.env, request, hosts));
	const home = homeDirectory(process.env);
	return {
		...{ home, directory, shownDirectory: shownPath(directory, home) },
		model: resolveModel(model ?? DEFAULT_MODEL, startedIn, { from, isAnyTaken, hosts }),
		models: PROVIDERS.flatMap(({ names }) => names.filter((name) => !/[A-Z]/.test(name))),
		efforts: EFFORTS,
		namesAtRoot: readdirSync("/"),
	};
}

/** From `directory` on, where it is below that. */
function shownPath(path: string, home: string | undefined, directory?: string): string {
	if (directory !== undefined && path.startsWith(`${directory}/`)) return path.slice(directory.length + 1);
	if (home === undefined || home === "/") return path;
	return path === home ? "~" : path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

const MOST_FILES = 4;
const MOST_TASK_CHARS = 50;

interface GreetingOf {
	/** The files with instructions for the agent here. */
	readonly instructions: readonly string[];
	readonly run: ChatRun | undefined;
	/** What a person has to know of the sandbox. */
	readonly ofSandbox: readonly string[];
	/** What can be resumed here. */
	readonly unfinished: string | undefined;
}

export function greeting({ model, shownDirectory, skipsPermissions }: ChatFacts, about: GreetingOf): ChatLine[] {
	const { instructions, run, unfinished, ofSandbox } = about;
	const what = run === undefined ? model : `resuming run ${shortRunId(run.run)}`;
	const dim = (text: string): ChatLine => ({ text, tone: "dim" });
	return [
		...(skipsPermissions ? [{ text: SKIPPED_PERMISSIONS[0], tone: "bad" } as const] : []),
		{ text: `agentree ${VERSION}: ${what} in ${shownDirectory}`, tone: "plain" },
		...(instructions.length === 0 ? [] : [dim(`with ${listed(instructions)}`)]),
		...ofSandbox.map((text) => ({ text, tone: "warn" }) as const),
		...(unfinished === undefined ? [] : [dim(unfinished)]),
		dim("Esc to interrupt · Ctrl-D to quit · /help for more"),
	];
}

/** The newest conversation of the directory, if it has not come to its end. */
export function unfinishedIn(home: string, directory: string): string | undefined {
	const newest = newestSession(home, directory);
	if (newest === undefined) return undefined;
	const { file, state, usedAt } = lookedAt(newest);
	if (state === "answered") return undefined;
	const what = preview(runTitle(file), MOST_TASK_CHARS);
	const age = formatAge(SYSTEM_CLOCK.now() - usedAt);
	return `unfinished here: ${what} (${state}, ${age} ago); to resume: /resume, or agent -c`;
}

function listed(files: readonly string[]): string {
	const more = files.length - MOST_FILES;
	return `${files.slice(0, MOST_FILES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
