/** The options of the sandbox, for a run and, through the full command line, for a child. */

import { isAbsolute, resolve } from "node:path";
import { defined } from "../../core/defined.ts";
import { usageError } from "../../core/errors.ts";
import { variableOfFlag } from "../../core/limits/limits.ts";
import { readHostPattern } from "../../core/machine/host-pattern.ts";
import { isAtOrBelow } from "../../core/machine/paths.ts";
import { NETWORKS, type SandboxWish } from "../../core/machine/sandbox.ts";
import { type Environment, type Given, given, oneOf, refuse } from "./given.ts";
import type { OptionRow, OptionValues } from "./option-table.ts";
import { homeDirectory, withHome } from "./user-directories.ts";

/** `required`: `workspace`, and the run does not start without a sandbox. */
const SANDBOX_WORDS = ["off", "workspace", "read-only", "required"] as const;

export const SANDBOX_OPTIONS: readonly OptionRow[] = [
	{
		...{ flag: "sandbox", value: "MODE", values: SANDBOX_WORDS },
		help: `what commands can access: ${SANDBOX_WORDS.join(", ")}`,
	},
	{
		...{ flag: "allow-write", value: "DIR", values: "directories", isRepeatable: true },
		help: "let commands write to this directory",
	},
	{
		...{ flag: "allow-read", value: "PATH", values: "files", isRepeatable: true },
		help: "show a file or directory that the sandbox hides by default",
	},
	{
		...{ flag: "deny-read", value: "PATH", values: "files", isRepeatable: true },
		help: "hide a file or directory from commands",
	},
	{
		...{ flag: "net", value: "HOW", values: NETWORKS },
		help: "network in the sandbox: host, proxy (only allowed hosts), none",
	},
	{
		...{ flag: "allow-host", value: "NAME", isRepeatable: true },
		help: "host that --net proxy allows: example.org, *.example.org",
	},
];

interface WishHost {
	readonly env: Environment;
	readonly cwd: () => string;
}

/**
 * Undefined when nothing is asked for. What asks for protection goes before an `off` in a weaker place, and an `off` before what is
 * in the same or a weaker one; two flags that contradict each other are an error. Throws AgentreeError("usage").
 */
export function readSandboxWish(values: OptionValues, { env, cwd }: WishHost): SandboxWish | undefined {
	const read = (flag: string) => given(flag, values, env);
	const mode = modeOf(read("sandbox"), PROTECTING.flatMap((flag) => read(flag) ?? []).filter(isProtecting));
	const allowHosts = listOf(
		read("allow-host"),
		(host) => readHostPattern(host) !== undefined,
		"a host name such as example.org, *.example.org or example.org:8080",
	);
	const network = oneOf(read("net"), NETWORKS) ?? (allowHosts === undefined ? undefined : "proxy");
	if (network !== undefined && network !== "proxy" && allowHosts !== undefined)
		throw usageError(`--net ${network} and --allow-host contradict each other: --allow-host needs --net proxy`);
	const paths = (flag: string) => pathsOf(read(flag), { cwd, home: homeDirectory(env) });
	const wish: SandboxWish = defined({
		mode: mode === "required" ? "workspace" : mode,
		isRequired: mode === "required" ? (true as const) : undefined,
		allowWrite: paths("allow-write"),
		...{ allowRead: paths("allow-read"), denyRead: paths("deny-read") },
		...{ network, allowHosts },
	});
	return Object.keys(wish).length === 0 ? undefined : wish;
}

const PROTECTING = ["net", "allow-host", "deny-read"];

function isProtecting({ name, text }: Given): boolean {
	return text !== "host" || (name !== "--net" && name !== variableOfFlag("net"));
}

function modeOf(given: Given | undefined, protecting: readonly Given[]): (typeof SANDBOX_WORDS)[number] | undefined {
	const mode = oneOf(given, SANDBOX_WORDS);
	const flag = protecting.find(isFlag);
	if (mode !== "off" || flag === undefined) return mode;
	if (given === undefined || !isFlag(given)) return undefined;
	throw usageError(`--sandbox off and ${flag.name} contradict each other: ${flag.name} needs a sandbox`);
}

function isFlag({ name }: Given): boolean {
	return name.startsWith("--");
}

function pathsOf(
	given: Given | undefined,
	{ cwd, home }: { cwd: () => string; home: string | undefined },
): readonly string[] | undefined {
	return listOf(given, (path) => path !== "", "a path")?.map((path) => {
		const whole = withHome(path, home);
		return isAbsolute(whole) ? resolve(whole) : resolve(cwd(), whole);
	});
}

/** An option that is given several times, and a variable, have a line a value. */
function listOf(
	given: Given | undefined,
	isRight: (text: string) => boolean,
	needed: string,
): readonly string[] | undefined {
	if (given === undefined) return undefined;
	const values = given.text.split("\n");
	const wrong = values.find((value) => !isRight(value));
	return wrong === undefined ? values : refuse({ ...given, text: wrong }, `needs ${needed}`);
}

/**
 * Flags and variables go before the file; its directories and paths are added to theirs. Paths of the file are written as in a
 * shell. Without a `mode` nobody says whether there is to be a sandbox.
 */
export function withConfiguredSandbox(
	asked: SandboxWish | undefined,
	configured: SandboxWish | undefined,
	{ cwd, home }: { readonly cwd: string; readonly home: string | undefined },
): SandboxWish | undefined {
	if (configured === undefined) return asked;
	const mode = asked?.mode ?? (configured.mode === "off" && asked !== undefined ? undefined : configured.mode);
	if (mode === "off") return { mode };
	const isRequired = asked?.mode === undefined ? configured.isRequired : undefined;
	const paths = (written: readonly string[] = []) => written.map((path) => resolve(cwd, withHome(path, home)));
	const both = (one: readonly string[] = [], other: readonly string[] = []) => {
		const all = [...one, ...other];
		return all.length === 0 ? undefined : all;
	};
	return defined({
		mode,
		isRequired: asked?.isRequired ?? isRequired,
		allowWrite: both(asked?.allowWrite, paths(configured.allowWrite)),
		allowRead: both(asked?.allowRead, without(paths(configured.allowRead), asked?.denyRead)),
		denyRead: both(asked?.denyRead, without(paths(configured.denyRead), asked?.allowRead)),
		...(asked?.network === undefined
			? { network: configured.network, allowHosts: configured.allowHosts }
			: { network: asked.network, allowHosts: asked.allowHosts }),
	});
}

/** What the file says of the same place, or of what lies in it. */
function without(configured: readonly string[], contrary: readonly string[] = []): readonly string[] {
	return configured.filter((path) => !contrary.some((other) => isAtOrBelow(path, other)));
}
