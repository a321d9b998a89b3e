/**
 * A script says what a model answers: the file of `--model script:FILE`, YAML, described in docs/scripts.md.
 *
 *   agents:                        # the first entry that matches the agent is played
 *     - task: "look at *"          # pattern over the task; and/or `path: "1.*"` over the agent's id
 *       turns:
 *         - think: "I look first"  # a turn: think, say, run, calls, delay, usage, stop
 *           run: "ls -l"
 *         - say: "It says: {{output}}"
 *       after: fail                # or repeat
 */
import { AgentreeError } from "../../core/errors.ts";
import { NO_USAGE, type Usage } from "../../core/model/usage.ts";
import type { FileBounds } from "../user-files/bounded-file.ts";
import { type Located, parseLocated } from "../user-files/located-yaml.ts";

export interface Script {
	readonly file: string;
	readonly agents: readonly ScriptAgent[];
}

interface ScriptAgent {
	/** The tasks that it matches; absent: any task. */
	readonly task?: RegExp;
	readonly path?: RegExp;
	readonly turns: readonly ScriptTurn[];
	/** What happens after the last turn. */
	readonly after: "fail" | "repeat";
	/** The answer when a summary of older messages is asked for; absent: one made by code. */
	readonly compaction?: ScriptTurn;
}

/** Texts may hold placeholders. */
export type Say =
	| { readonly is: "text"; readonly text: string }
	| { readonly is: "repeat"; readonly text: string; readonly times: number };

interface ScriptCall {
	readonly name: string;
	readonly input: unknown;
}

export type ScriptTurn =
	| {
			readonly is: "answer";
			readonly think?: string;
			readonly say?: Say;
			readonly calls: readonly ScriptCall[];
			readonly delayMs: number;
			readonly usage: Usage;
			readonly stop?: string;
			/** How many attempts at the call fail and are retried before one succeeds. */
			readonly failsFirst?: ScriptError & { readonly times: number };
	  }
	| (ScriptError & { readonly is: "error"; readonly delayMs: number });

export interface ScriptError {
	readonly status: number;
	readonly type: string;
	readonly message: string;
}

/** Bounds of a script: the supervisor reads whatever file an agent names. */
export const SCRIPT_BOUNDS: FileBounds = { maxBytes: 16 * 1024 * 1024, isRegular: true };

/** The script in the file. Throws AgentreeError("script"): one line with file, line and column. */
export function parseScript(text: string, file: string): Script {
	const top = parseLocated(text, file);
	const { agents } = top.map(["agents"]);
	const entries = (agents ?? top.fail("`agents` is missing")).list();
	if (entries.length === 0) throw new AgentreeError("script", `${file}: no agents in it`);
	return { file, agents: entries.map(parseAgent) };
}

function parseAgent(entry: Located): ScriptAgent {
	const { task, path, turns, after, compaction } = entry.map(["task", "path", "turns", "after", "compaction"]);
	const parsed = (turns ?? entry.fail("`turns` is missing")).list().map(parseTurn);
	if (parsed.length === 0) turns?.fail("no turns in it");
	return {
		...(task && { task: parsePattern(task) }),
		...(path && { path: parsePattern(path) }),
		turns: parsed,
		after: after === undefined ? "fail" : parseAfter(after),
		...(compaction && { compaction: compaction.isMap() ? parseTurn(compaction) : saying(compaction.string()) }),
	};
}

function saying(text: string): ScriptTurn {
	return { is: "answer", say: { is: "text", text }, calls: [], delayMs: 0, usage: NO_USAGE };
}

function parseAfter(value: Located): "fail" | "repeat" {
	const then = value.string();
	return then === "fail" || then === "repeat" ? then : value.fail(`"${then}" is neither fail nor repeat`);
}

/** `/regex/flags`, or a text in which `*` stands for any run of characters, line breaks too. */
function parsePattern(value: Located): RegExp {
	const text = value.string();
	const [, source, flags] = /^\/(.*)\/([a-z]*)$/s.exec(text) ?? [];
	try {
		if (source !== undefined) return new RegExp(source, flags?.replace(/[gy]/g, ""));
	} catch (error) {
		return value.fail((error as Error).message);
	}
	const parts = text.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
	return new RegExp(`^${parts.join(".*")}$`, "s");
}

const TURN_KEYS = ["think", "say", "run", "calls", "delay", "usage", "stop", "error"];

function parseTurn(value: Located): ScriptTurn {
	const { think, say, run, calls, delay, usage, stop, error } = value.map(TURN_KEYS);
	const delayMs = delay === undefined ? 0 : parseDuration(delay);
	const fails = error && parseError(error);
	if (error !== undefined && fails !== undefined && fails.times === undefined) {
		if (think ?? say ?? run ?? calls ?? usage ?? stop) error.fail("a turn with `error` can only have `delay` besides");
		return { is: "error", ...fails.error, delayMs };
	}
	if ((think ?? say ?? run ?? calls ?? stop) === undefined) value.fail("the turn is empty: it must say, run or stop");
	return {
		is: "answer",
		...(think && { think: think.string() }),
		...(say && { say: parseSay(say) }),
		calls: [...(run ? parseRun(run) : []), ...(calls?.list().map(parseCall) ?? [])],
		delayMs,
		usage: parseUsage(usage),
		...(stop && { stop: stop.string() }),
		...(fails?.times !== undefined && { failsFirst: { ...fails.error, times: fails.times } }),
	};
}

/** Far below the 2^29 characters of a string in V8: an answer is copied several times on its way. */
export const MAX_REPEATED_CHARS = 100_000_000;

function parseSay(value: Located): Say {
	if (!value.isMap()) return { is: "text", text: value.string() };
	const { repeat, times } = value.map(["repeat", "times"]);
	if (repeat === undefined || times === undefined) return value.fail("`repeat` and `times` need each other");
	const text = repeat.string();
	if (text.length * times.count() > MAX_REPEATED_CHARS)
		times.fail(`at most ${MAX_REPEATED_CHARS} characters are allowed; this is ${text.length} × ${times.count()}`);
	return { is: "repeat", text, times: times.count() };
}

function parseRun(value: Located): ScriptCall[] {
	const commands = value.isList() ? value.list() : [value];
	return commands.map((item) => {
		if (!item.isMap()) return { name: "bash", input: { command: item.string() } };
		const { command, timeout } = item.map(["command", "timeout"]);
		if (command === undefined) return item.fail("`command` is missing");
		return { name: "bash", input: { command: command.string(), ...(timeout && { timeout: timeout.number() }) } };
	});
}

function parseCall(value: Located): ScriptCall {
	const { name, input } = value.map(["name", "input"]);
	return { name: (name ?? value.fail("`name` is missing")).string(), input: input?.data() ?? {} };
}

function parseUsage(value: Located | undefined): Usage {
	const { input, output, cacheRead, cacheWrite } = value?.map(["input", "output", "cacheRead", "cacheWrite"]) ?? {};
	return {
		input: input?.count() ?? 0,
		output: output?.count() ?? 0,
		cacheRead: cacheRead?.count() ?? 0,
		cacheWrite: cacheWrite?.count() ?? 0,
	};
}

function parseError(value: Located): { error: ScriptError; times: number | undefined } {
	const { status, type, message, times } = value.map(["status", "type", "message", "times"]);
	const error = {
		status: status?.count() ?? 500,
		type: type?.string() ?? "api_error",
		message: message?.string() ?? "Internal server error",
	};
	return { error, times: times?.count() };
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000 };

function parseDuration(value: Located): number {
	const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(value.string()) ?? [];
	const unitMs = UNIT_MS[unit ?? ""];
	if (unitMs === undefined) return value.fail("a time such as 800ms or 2s is expected");
	return Number(number) * unitMs;
}
