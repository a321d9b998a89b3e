/** Keys of models: from the environment or the file that was named, for the supervisor alone. No `.env` is read unasked. */
import { statSync } from "node:fs";
import { AgentreeError } from "../../core/errors.ts";
import type { Credentials } from "../../models/provider/provider.ts";
import type { UserHost } from "../../models/provider/user-host.ts";
import { addressVariables, credentialsIn, keyVariables } from "../../models/providers.ts";
import { foreignKeys, secretsIn } from "../../models/secrets-in.ts";
import type { FileBounds } from "../../models/user-files/bounded-file.ts";
import { keepSecrets } from "../../text/safe/keep-secrets.ts";
import { readNamedFile } from "../io/named-files.ts";
import { parseEnvFile } from "./parse-env-file.ts";

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
