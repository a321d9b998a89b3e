/** `agent doctor` tries whether everything is here that a run needs. It leaves nothing but the two directories, and never shows a key. */

import { accessSync, constants, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join, relative } from "node:path";
import { AgentreeError } from "../../core/errors.ts";
import { absolutePath } from "../../core/machine/paths.ts";
import { newRunId } from "../../core/run/run-id.ts";
import type { Io } from "../../faces/print/io.ts";
import type { ServiceList } from "../../models/provider/provider.ts";
import type { UserHost } from "../../models/provider/user-host.ts";
import { keyVariables, serviceAddresses } from "../../models/providers.ts";
import { isLoopback, routeTo, throughProxy } from "../../models/service/proxy.ts";
import { makeCgroup } from "../../processes/cgroups/cgroup.ts";
import { prepareSocket, stateDirectoryOf } from "../../project/config/chosen-directory.ts";
import type { OptionValues } from "../../project/config/option-table.ts";
import { configurationPath, prepareDirectory } from "../../project/config/user-directories.ts";
import { filesOf, findGuide, noticesOf } from "../../project/instructions/guide.ts";
import { KeptFiles } from "../../project/instructions/kept-files.ts";
import { trustIn } from "../../project/instructions/trust.ts";
import { readTrust } from "../../record/project-answers.ts";
import { findNsenter, NO_NSENTER } from "../../sandbox/layers.ts";
import { othersPlaces, probeSandbox, trySandbox } from "../../sandbox/probe.ts";
import { desktopSockets } from "../../sandbox/socket-places.ts";
import { whyShimsCannotRun } from "../../supervisor/processes/shims.ts";
import { redact } from "../../text/safe/redact.ts";
import { oneLine } from "../../text/safe/terminal-safe.ts";
import { padWidth } from "../../text/width/width.ts";
import { wrapWords } from "../../text/width/wrap.ts";
import { stateDirectoryFor } from "../io/find-run.ts";
import { type PrintingCommand, printJson } from "../io/process-io.ts";
import { readConfiguration } from "../io/user-files.ts";
import { answersForProject } from "../start/gather-facts.ts";
import { instructionPlaces, rulesFileOf } from "../start/instruction-sources.ts";
import { projectOfRun } from "../start/look-at-sandbox.ts";
import { askServices } from "./models.ts";

/** The exit code is 1 when a check fails; a warning is no failure. `--online`: services are called, too. */
export const doctor: PrintingCommand = async (_, values, io) => {
	const home = stateDirectoryFor(io);
	const hosts = await userHosts(io);
	const found = [
		...checkWorkingDirectory(io),
		checkNode(process.versions.node),
		await checkProgram("bash", io, "fail"),
		await checkProgram("git", io, "warn"),
		checkTerminal(io),
		await checkStateDirectory(home, io),
		await checkFifo(home, io),
		...(await checkChildren(home, io)),
		await checkSocket(home, io),
		checkKey(io.env, hosts),
		...checkServices(io.env, hosts),
		await checkConfiguration(io),
		...(values.online ? await checkOnline(io, values) : []),
		...checkProject(io, home),
		...checkAnswers(io),
		await checkSandbox(io),
		await checkProc(),
		await checkCgroup(io),
	];
	const checks = found.map((check) => ({ ...check, detail: redact(check.detail) }));
	const columns = io.columns ?? Number.POSITIVE_INFINITY;
	if (values.json) printJson(io, { checks });
	else for (const check of checks) io.stdout(`${wrapWords(checkLine(check), columns, DETAIL_COLUMN)}\n`);
	return checks.some((check) => check.result === "fail") ? 1 : 0;
};

export interface Check {
	readonly result: "ok" | "warn" | "fail";
	readonly what: string;
	readonly detail: string;
}

const [RESULT_COLUMNS, WHAT_COLUMNS, GAP] = [4, 15, "  "];
const DETAIL_COLUMN = RESULT_COLUMNS + WHAT_COLUMNS + 2 * GAP.length;

function checkLine({ result, what, detail }: Check): string {
	return [padWidth(result, RESULT_COLUMNS), padWidth(what, WHAT_COLUMNS), oneLine(detail)].join(GAP);
}

/** `look`: gives what is in order, or a warning; what it throws is a failure. */
async function check(what: string, look: () => string | Check | Promise<string | Check>): Promise<Check> {
	try {
		const found = await look();
		return typeof found === "string" ? { result: "ok", what, detail: found } : found;
	} catch (error) {
		return { result: "fail", what, detail: error instanceof Error ? error.message : String(error) };
	}
}

// This machine.

/** A line only when something is wrong: where a run works is no property of this machine. */
function checkWorkingDirectory({ cwdProblem }: Io): Check[] {
	return cwdProblem === undefined ? [] : [{ result: "fail", what: "directory", detail: cwdProblem }];
}

const LEAST_NODE: readonly [number, number] = [20, 19];

export function checkNode(version: string): Check {
	const [major = 0, minor = 0] = version.split(".").map(Number);
	const isFit = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
	const detail = isFit ? version : `${version}: install Node ${LEAST_NODE.join(".")} or later`;
	return { result: isFit ? "ok" : "fail", what: "node", detail };
}

async function checkProgram(program: "bash" | "git", io: Io, without: "fail" | "warn"): Promise<Check> {
	const { failed, stdout, shortMessage } = await run(program, ["--version"], io);
	if (failed) return { result: without, what: program, detail: `${shortMessage}; install ${program}` };
	return { result: "ok", what: program, detail: /\d+\.\d+(\.\d+)?/.exec(stdout)?.[0] ?? stdout };
}

/** A missing or unfit terminal is never a failure: agents run without one, only nobody can watch them. */
export function checkTerminal({ env, isTTY, columns, rows }: Pick<Io, "env" | "isTTY" | "columns" | "rows">): Check {
	const what = "terminal";
	const term = env.TERM || "not set";
	if (!isTTY) return { result: "ok", what, detail: `none (TERM ${term}): agent tree prints plain lines` };
	const colors = env.NO_COLOR
		? "no colors (NO_COLOR)"
		: env.COLORTERM || (term.includes("256") ? "256 colors" : "few colors");
	const detail = `TERM ${term}, ${columns ?? "?"}×${rows ?? "?"}, ${colors}`;
	if (!env.TERM || env.TERM === "dumb") return { result: "warn", what, detail: `${detail}: agent tree needs a TERM` };
	return { result: "ok", what, detail };
}

const LEAST_FREE_BYTES = 1024 ** 3; // a run may write gigabytes of output

function checkStateDirectory(home: string, io: Io): Promise<Check> {
	const what = "state directory";
	return check(what, () => {
		stateDirectoryOf(io);
		prepareDirectory(home, io.uid);
		accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK);
		const { bavail, bsize } = statfsSync(home);
		const free = bavail * bsize;
		const detail = `${home}, ${(free / 1024 ** 3).toFixed(1)} GiB free`;
		return free < LEAST_FREE_BYTES ? { result: "warn", what, detail } : detail;
	});
}

/** The output of a command goes through a FIFO; not every file system can hold one. */
function checkFifo(home: string, io: Io): Promise<Check> {
	return check("mkfifo", () =>
		inScratch(home, async (directory) => {
			const { failed, shortMessage } = await run("mkfifo", [join(directory, "fifo")], io);
			if (failed) throw new Error(shortMessage);
			return "works in the state directory";
		}),
	);
}

/** A line only when something is wrong: agents find the program as a script in the run's directory. */
async function checkChildren(home: string, io: Io): Promise<Check[]> {
	try {
		return await inScratch(home, async (directory) => {
			const script = join(directory, "agent");
			writeFileSync(script, "#!/bin/sh\n", { mode: 0o700 });
			const { failed, shortMessage } = await run(script, [], io);
			const detail = whyShimsCannotRun(directory) ?? `cannot run a script in the state directory: ${shortMessage}`;
			return failed ? [{ result: "fail", what: "child agents", detail }] : [];
		});
	} catch {
		return []; // the checks of the directory have said it
	}
}

async function inScratch<T>(home: string, use: (directory: string) => Promise<T>): Promise<T> {
	const directory = mkdtempSync(join(home, "doctor-"));
	try {
		return await use(directory);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
}

function checkSocket(home: string, io: Io): Promise<Check> {
	return check("socket", async () => {
		const { path, notice } = prepareSocket(`doctor-${process.pid}`, home, io);
		if (notice !== undefined) io.stderr(`agent: ${notice}\n`);
		await new Promise<void>((resolve, reject) => {
			const server = createServer();
			server.once("error", reject);
			server.listen(path, () => server.close(() => resolve())); // closing removes the path
		});
		return `${dirname(path)}, paths of ${Buffer.byteLength(path)} bytes`;
	});
}

function checkProc(): Promise<Check> {
	return check("process table", () => {
		try {
			readFileSync("/proc/self/stat");
			readFileSync("/proc/self/environ");
			return "/proc";
		} catch (error) {
			throw new Error(`${(error as Error).message}: without /proc, agents cannot be found`);
		}
	});
}

const WITHOUT_CGROUPS =
	"processes that leave their session, parents and environment are not found; try systemd-run --user --scope agent run …";
const INTO = 'echo $$ > "$1/cgroup.procs"';

/**
 * Makes one as a run would, lets a process move into it, as agents do, and removes it. Without cgroups a run works, and finds its processes
 * in the other ways.
 */
async function checkCgroup({ now }: Io): Promise<Check> {
	const what = "cgroups";
	const without = (reason: string): Check => ({ result: "warn", what, detail: `${reason}; ${WITHOUT_CGROUPS}` });
	const made = makeCgroup(newRunId(new Date(now()), Math.random));
	if (made.is === "impossible") return without(made.reason);
	const { path } = made.cgroup;
	const { execa } = await import("execa");
	const { failed } = await execa("/bin/sh", ["-c", INTO, "sh", path], { reject: false, stdin: "ignore" });
	made.cgroup.remove();
	if (failed) return without(`no process can move into ${path}`);
	return { result: "ok", what, detail: `a run has one in ${dirname(path)}` };
}

const PROGRAM_TIMEOUT_MS = 10_000;

async function run(program: string, args: string[], io: Io) {
	const { execa } = await import("execa");
	const { failed, stdout, shortMessage } = await execa(program, args, {
		cwd: io.cwdProblem === undefined ? io.cwd : "/", // else it would seem that the program is missing
		env: { ...io.env, PATH: absolutePath(io.env.PATH) },
		extendEnv: false,
		reject: false,
		stdin: "ignore",
		timeout: PROGRAM_TIMEOUT_MS,
	});
	return { failed, stdout: stdout ?? "", shortMessage: shortMessage ?? "" };
}

async function checkSandbox({ env, uid, cwd, cwdProblem }: Io): Promise<Check> {
	const what = "sandbox";
	const probed = probeSandbox(env);
	if (probed.is === "none") {
		const without = "runs start without a sandbox, and agents can do everything you can";
		return { result: "warn", what, detail: `${probed.reason}; ${without}` };
	}
	const { program } = probed;
	const isRoot = uid === 0;
	const noNsenter = findNsenter() === undefined ? NO_NSENTER : undefined;
	const { version, problems } = await trySandbox(program, { isRoot, architecture: process.arch, noNsenter });
	const { top, start } = cwdProblem === undefined ? projectOfRun(cwd, { env }).project : {};
	const own = [top, start].flatMap((path) => path ?? []);
	const found = [...problems, ...othersPlaces(own, { program, uid }), ...desktopSockets("host")];
	if (found.length > 0) return { result: "warn", what, detail: `bubblewrap ${version}: ${found.join("; ")}` };
	const asRoot = isRoot ? "; as root child agents can signal each other" : "";
	return { result: "ok", what, detail: `bubblewrap ${version}, including nesting and --net none${asRoot}` };
}

// Keys, services and the configuration file.

/** The services of the configuration file; none while something is wrong with it, which its own check says. */
async function userHosts({ env, cwd }: Io): Promise<readonly UserHost[]> {
	try {
		return (await readConfiguration(env, () => cwd)).hosts;
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		return [];
	}
}

export function checkKey(env: Io["env"], hosts: readonly UserHost[] = []): Check {
	const variables = keyVariables(hosts);
	const set = variables.filter((name) => env[name]);
	if (set.length > 0)
		return { result: "ok", what: "key", detail: `${set.join(", ")} ${set.length === 1 ? "is" : "are"} set` };
	const detail = `none: export ${variables[0]}=…, or use --model shell, or agent demo`;
	return { result: "warn", what: "key", detail };
}

/** Which way calls would take; none is made. */
export function checkServices(env: Io["env"], hosts: readonly UserHost[] = []): Check[] {
	return serviceAddresses(env, hosts).map((address) => checkWay(address, env));
}

function checkWay(address: string, env: Io["env"]): Check {
	const what = "service";
	if (!URL.canParse(address)) return { result: "fail", what, detail: `"${address}" is not an address` };
	try {
		const route = routeTo(address, env);
		const { origin, pathname, hostname } = new URL(address);
		const to = `${origin}${pathname.replace(/\/$/, "")}`;
		const { NODE_EXTRA_CA_CERTS: certificates } = env;
		const trusting = certificates ? `, also trusting ${certificates} (NODE_EXTRA_CA_CERTS)` : "";
		if (route.is === "direct") {
			const because = route.exceptedBy === undefined ? "" : ` (${route.exceptedBy})`;
			return { result: "ok", what, detail: `${to}, without a proxy${because}${trusting}` };
		}
		const detail = `${to}${throughProxy(route.proxy)}${trusting}`;
		if (!isLoopback(address) || isLoopback(route.proxy.url)) return { result: "ok", what, detail };
		const advice = `the proxy would look for it on the proxy's machine: add ${hostname} to NO_PROXY`;
		return { result: "warn", what, detail: `${detail}: ${advice}` };
	} catch (error) {
		return { result: "fail", what, detail: (error as Error).message };
	}
}

function checkConfiguration({ env, cwd }: Io): Promise<Check> {
	return check("configuration", async () => {
		const { path, prices, hosts } = await readConfiguration(env, () => cwd);
		const place = configurationPath(env, () => cwd)?.path ?? "HOME";
		if (path === undefined) return `none: ${place} does not exist`;
		const models = prices.map(({ id }) => id).join(", ");
		const services = hosts.length === 0 ? "" : `; services: ${hosts.map(({ name }) => name).join(", ")}`;
		return `${path}, ${models === "" ? "no model prices" : `prices of ${models}`}${services}`;
	});
}

/** One call to each service that there is a key for, or that is described. */
async function checkOnline(io: Io, values: OptionValues): Promise<Check[]> {
	const what = "online";
	try {
		const { lists } = await askServices(io, values);
		if (lists.length > 0) return lists.map(checkAnswer);
		return [{ result: "warn", what, detail: "no service called: no key, and no service configured" }];
	} catch (error) {
		if (!(error instanceof AgentreeError)) throw error;
		return [{ result: "fail", what, detail: error.message }];
	}
}

function checkAnswer({ service, address, answer }: ServiceList): Check {
	const what = "online";
	const who = `${service} (${address})`;
	if (answer.is === "models") return { result: "ok", what, detail: `${who}: ${answer.models.length} models` };
	return { result: answer.isThere ? "warn" : "fail", what, detail: `${who}: ${answer.reason}` };
}

// The working directory: its files for agents, and the lasting answers about commands. No line where there are none.

const MOST_FILES = 6;

function checkProject({ env, cwd, uid }: Io, home: string): Check[] {
	const what = "instructions";
	const kept = new KeptFiles();
	const { project, ofProject, ofUser } = findGuide(cwd, instructionPlaces(env, uid), kept);
	const notices = [ofProject, ofUser].flatMap(noticesOf).map((detail): Check => ({ result: "warn", what, detail }));
	const rules = rulesFileOf(project, kept);
	const files = [...filesOf(ofProject), ...(rules === undefined ? [] : [rules])];
	if (project === undefined || files.length === 0) return notices;
	const { top: root } = project;
	const names = files.slice(0, MOST_FILES).map(({ path }) => relative(root, path));
	const more = files.length > MOST_FILES ? ` and ${files.length - MOST_FILES} more` : "";
	const isTrusted = trustIn(readTrust(home, root)?.file, files).is === "trusted";
	const how = isTrusted ? "trusted" : "not trusted, so ignored without --trust";
	return [{ result: "ok", what, detail: `${names.join(", ")}${more} in ${root}: ${how}` }, ...notices];
}

function checkAnswers({ env, cwd }: Io): Check[] {
	const what = "answers";
	const { root, file, rules, damaged } = answersForProject(cwd, env) ?? { rules: [], damaged: 0 };
	const lost: Check = { result: "warn", what, detail: `${damaged} lines of ${file} are not rules` };
	const allowed: Check = { result: "ok", what, detail: `${rules.join(", ")} allowed in ${root}, by lines of ${file}` };
	return [...(rules.length > 0 ? [allowed] : []), ...(damaged > 0 ? [lost] : [])];
}
