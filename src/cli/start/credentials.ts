/** Keys of models: from the environment or the file that was named, for the supervisor alone. No `.env` is read unasked. */

import { statSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import type { Credentials } from "../../models/provider/provider.ts";
import type { UserHost } from "../../models/provider/user-host.ts";
import { addressVariables, credentialsIn, keyVariables } from "../../models/providers.ts";
import { foreignKeys, secretsIn } from "../../models/secrets-in.ts";
import type { FileBounds } from "../../models/user-files/bounded-file.ts";
import { keepSecrets } from "../../text/safe/keep-secrets.ts";
import { readNamedFile } from "../io/user-files.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The files that a person has named for this. */
export interface KeyFiles {
	readonly envFile?: string | undefined;
	/** Of another tool. */
	readonly credentialsFile?: string | undefined;
}

/**
 * The credentials of the environment, or those of the file, which replace all keys and headers of the environment. A key of the
 * environment goes to no address that a file names. The address in the environment is the person's own, and holds for a key
 * of the file that comes without one. `hosts`: the services of the configuration file. Throws AgentreeError("usage").
 */
export function readCredentials(
	env: Environment,
	{ envFile, credentialsFile }: KeyFiles,
	hosts: readonly UserHost[] = [],
): Credentials {
	const ofEnvironment = credentialsIn(env, hosts);
	if (envFile !== undefined && credentialsFile !== undefined)
		throw new AgentreeError("usage", "--env-file and --credentials-file contradict each other: use one");
	const named = credentialsFile === undefined ? {} : readForeignFile(credentialsFile, hosts);
	const ofFile = credentialsIn(envFile === undefined ? named : readEnvFile(envFile), hosts);
	keepSecrets([...secretsIn(ofFile, hosts), ...secretsIn(ofEnvironment, hosts)]);
	if (Object.keys(ofFile).length === 0) return ofEnvironment;
	if (!hasKey(ofFile, hosts) && hasKey(ofEnvironment, hosts)) {
		const sets = Object.keys(ofFile).join(" and ");
		throw new AgentreeError(
			"usage",
			`--env-file ${envFile} sets ${sets} but no key, and a key from the environment is not used with settings from a file: put the key in the file as well, or set ${sets} in the environment`,
		);
	}
	return { ...addressesIn(ofEnvironment), ...ofFile };
}

function addressesIn(credentials: Credentials): Credentials {
	return Object.fromEntries(Object.entries(credentials).filter(([name]) => addressVariables().includes(name)));
}

function hasKey(credentials: Credentials, hosts: readonly UserHost[]): boolean {
	return keyVariables(hosts).some((name) => credentials[name]);
}

/** A key may come from a pipe: `--env-file <(pass show keys)`. */
const KEY_FILE_BOUNDS: FileBounds = { maxBytes: 1024 * 1024, isRegular: false };

function readEnvFile(path: string): Environment {
	const name = `--env-file ${path}`;
	return parseEnvFile(readKeyFile(path, name), name);
}

/** Throws AgentreeError("usage") for a file without any key that could be used. */
function readForeignFile(path: string, hosts: readonly UserHost[]): Environment {
	const name = `--credentials-file ${path}`;
	const keys = foreignKeys(readKeyFile(path, name), hosts);
	if (keys === undefined) throw new AgentreeError("usage", `${name}: not a JSON object`);
	if (Object.keys(keys).length > 0) return keys;
	throw new AgentreeError(
		"usage",
		`${name}: it has no API key of a known service (a login of another tool is not one)`,
	);
}

/** What each pipe gave, which it does once: a conversation reads its keys before it begins, for its run, and for the next one. */
const FROM_PIPES = new Map<string, string>();

function readKeyFile(path: string, name: string): string {
	const earlier = FROM_PIPES.get(path);
	if (earlier !== undefined) return earlier;
	const text = readNamedFile(path, name, KEY_FILE_BOUNDS);
	if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) FROM_PIPES.set(path, text);
	return text;
}

/**
 * The variables of an env file, as docs/cli.md says. Errors name file and line, never what stands there: it may be a key.
 * Pure.
 */

/** The last of several lines for a name counts. Throws AgentreeError("usage"). */
export function parseEnvFile(text: string, name: string): Record<string, string> {
	const reader = new Reader(normalized(text, name), name);
	const variables: Record<string, string> = {};
	while (!reader.isAtEnd) {
		const variable = reader.line();
		if (variable !== undefined) Object.defineProperty(variables, variable.name, { ...OWN, value: variable.value });
	}
	return variables;
}

const OWN = { enumerable: true, configurable: true, writable: true }; // also for a variable `__proto__`

function normalized(text: string, name: string): string {
	if (text.includes("\0"))
		throw new AgentreeError("usage", `${name}: contains NUL bytes, as a UTF-16 file does: save it as UTF-8`);
	return text.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n");
}

/** `NAME =`, with `export` before it. Sticky: it reads at `lastIndex`. */
const NAME = /[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*/y;
const BLANK_OR_COMMENT = /[ \t\f\v]*(?:#[^\n]*)?(?:\n|$)/y;
const UNQUOTED = /[^\n]*/y;
const QUOTES: Readonly<Record<string, RegExp>> = {
	"'": /'([^']*)'/y,
	"`": /`([^`]*)`/y,
	'"': /"([^"\\]*(?:\\.[^"\\]*)*)"/sy,
};
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", $: "$", "\n": "" };

class Reader {
	private readonly text: string;
	private readonly name: string;
	private at = 0;

	constructor(text: string, name: string) {
		this.text = text;
		this.name = name;
	}

	get isAtEnd(): boolean {
		return this.at >= this.text.length;
	}

	/** The variable of the next line; undefined for a line without one. */
	line(): { name: string; value: string } | undefined {
		if (this.take(BLANK_OR_COMMENT) !== undefined) return undefined;
		const start = this.at;
		const name = this.take(NAME)?.[1];
		if (name === undefined) throw this.error(start, "is not NAME=value");
		return { name, value: this.value(start) };
	}

	private value(start: number): string {
		const quote = this.text[this.at] ?? "";
		const quoted = QUOTES[quote];
		if (quoted === undefined) return withoutComment(this.take(UNQUOTED)?.[0] ?? "");
		const inside = this.take(quoted)?.[1];
		if (inside === undefined) throw this.error(start, `has an unclosed ${quote}`);
		if (this.take(BLANK_OR_COMMENT) === undefined) throw this.error(start, "has text after the quoted value");
		return quote === '"' ? inside.replace(/\\(.)/gs, (both, escaped) => ESCAPES[escaped] ?? both) : inside;
	}

	private take(pattern: RegExp): RegExpExecArray | undefined {
		pattern.lastIndex = this.at;
		const found = pattern.exec(this.text);
		if (found === null) return undefined;
		this.at = pattern.lastIndex;
		return found;
	}

	private error(at: number, what: string): AgentreeError {
		const line = this.text.slice(0, at).split("\n").length;
		return new AgentreeError("usage", `${this.name} line ${line}: ${what}`);
	}
}

/** `value # comment` → `value`; a `#` without white space before it belongs to the value. */
function withoutComment(value: string): string {
	return value.replace(/(?:^|[ \t])#.*$/, "").trim();
}
