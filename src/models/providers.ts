/** The table of all providers of models, and the questions that go to the provider that owns a name. */
import { AgentreeError } from "../core/errors.ts";
import type { Model } from "../core/model.ts";
import { ANTHROPIC } from "./anthropic/provider.ts";
import { hintAboutName } from "./provider/hint-about-name.ts";
import type { Credentials, ModelHost, Provider } from "./provider/provider.ts";
import { SCRIPT, scriptModel } from "./script/provider.ts";
import { SHELL } from "./shell/provider.ts";

export { scriptModel };

export const PROVIDERS: readonly Provider[] = [ANTHROPIC, SHELL, SCRIPT];

/** The model of a run that names none. */
export const DEFAULT_MODEL = "claude-sonnet-5-5";

/** The provider that owns the name; undefined for a name that no provider knows. */
export function providerOf(name: string): Provider | undefined {
	return PROVIDERS.find((provider) => provider.owns(name));
}

/** What else is known of a name. `from`: as ModelHost.nameFrom. `isAnyTaken`: as takesAnyName says. */
export interface NameFacts {
	readonly from?: string | undefined;
	readonly isAnyTaken?: boolean | undefined;
}

/** The model's name as a run keeps it. `startedIn`: as in Provider.resolve. Throws AgentreeError("usage") for an unknown name. */
export function resolveModel(name: string, startedIn: string | undefined, facts: NameFacts = {}): string {
	const provider = providerOf(name);
	if (provider === undefined && facts.isAnyTaken) return name;
	if (provider === undefined) throw unknownName(name, facts.from);
	return provider.resolve(name, startedIn, facts.from);
}

/** True when a name that no provider knows is left to the service. */
export function takesAnyName(credentials: Credentials): boolean {
	return providerOfAnyName(credentials) !== undefined;
}

function providerOfAnyName(credentials: Credentials): Provider | undefined {
	return PROVIDERS.find((provider) => provider.takesAnyName?.(credentials));
}

/** The file that the name, as a run keeps it, names; undefined for a model that is in no file. */
export function fileOfModel(name: string): string | undefined {
	return providerOf(name)?.file?.(name);
}

/** Throws AgentreeError when a cheap look shows that the model cannot be opened. */
export function checkModel(name: string): void {
	providerOf(name)?.check(name);
}

/** Opens the model. Throws AgentreeError: `usage`, `key_missing`, `script`. */
export async function openModel(name: string, host: ModelHost): Promise<Model> {
	const provider = providerOf(name) ?? providerOfAnyName(host.credentials);
	if (provider === undefined) throw unknownName(name, host.nameFrom);
	return provider.open(name, host);
}

/** The addresses that calls go to, by this environment. */
export function serviceAddresses(env: Readonly<Record<string, string | undefined>>): string[] {
	const credentials = credentialsIn(env);
	return PROVIDERS.flatMap((provider) => provider.address?.(credentials) ?? []);
}

/** The environment variables that may hold a key, those that take precedence first. */
export function keyVariables(): string[] {
	return PROVIDERS.flatMap(({ variables }) => variables.keys);
}

/** The environment variables that may hold the address of a service. */
export function addressVariables(): string[] {
	return PROVIDERS.flatMap(({ variables }) => variables.addresses);
}

/** The variables of an environment that providers read. An empty variable counts as not set. */
export function credentialsIn(env: Readonly<Record<string, string | undefined>>): Credentials {
	return Object.fromEntries(allVariables().flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** The environment without the variables that providers read: what agents and their commands may see. */
export function withoutCredentials(env: Readonly<Record<string, string>>): Record<string, string> {
	const read = allVariables();
	return Object.fromEntries(Object.entries(env).filter(([name]) => !read.includes(name)));
}

/** Takes the variables that providers read out of the process's own environment, once they were read: libraries look there, too. */
export function forgetCredentials(env: Record<string, string | undefined>): void {
	for (const name of allVariables()) delete env[name];
}

function allVariables(): string[] {
	return PROVIDERS.flatMap(({ variables: { keys, addresses, others } }) => [...keys, ...addresses, ...others]);
}

function unknownName(name: string, from: string | undefined): AgentreeError {
	const names = PROVIDERS.flatMap((provider) => provider.names);
	return new AgentreeError("usage", `unknown model "${name}"; known: ${names.join(", ")}${hintAboutModel(name, from)}`);
}

/** The end of a line that refuses a name: the nearest known one, and where it came from. `from`: as ModelHost.nameFrom. */
export function hintAboutModel(name: string, from: string | undefined): string {
	const names = PROVIDERS.flatMap((provider) => provider.names);
	const aliases = PROVIDERS.flatMap((provider) => [...(provider.aliases?.keys() ?? [])]);
	return hintAboutName(name, [...names, ...aliases], from);
}
