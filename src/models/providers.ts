/** The table of all providers of models, and the questions that go to the provider that owns a name. */
import { type AgentreeError, usageError } from "../core/errors.ts";
import type { Model } from "../core/model/model.ts";
import { ANTHROPIC } from "./anthropic/provider.ts";
import { OPENAI } from "./openai/provider.ts";
import {
	type Credentials,
	hintAboutName,
	type ListHost,
	type ModelHost,
	type Provider,
	type ServiceList,
} from "./provider/provider.ts";
import { headerVariables, type UserHost } from "./provider/user-host.ts";
import { SCRIPT, scriptModel } from "./script/provider.ts";
import { SHELL } from "./shell/provider.ts";

export { scriptModel };

export const PROVIDERS: readonly Provider[] = [ANTHROPIC, OPENAI, SHELL, SCRIPT];

/** The model of a run that names none. */
export const DEFAULT_MODEL = "claude-sonnet-5-5";

/** The provider that owns the name; undefined for a name that no provider knows. `hosts`: as in ModelHost. */
export function providerOf(name: string, hosts: readonly UserHost[] = []): Provider | undefined {
	if (OPENAI.owns(name, hosts)) return OPENAI; // also of `openrouter/anthropic/claude-…`: the service stands before the slash
	return PROVIDERS.find((provider) => provider.owns(name, hosts));
}

/** What else is known of a name. `from`: as ModelHost.nameFrom. `isAnyTaken`: as takesAnyName says. `hosts`: as in ModelHost. */
interface NameFacts {
	readonly hosts?: readonly UserHost[] | undefined;
	readonly from?: string | undefined;
	readonly isAnyTaken?: boolean | undefined;
}

/** The model's name as a run keeps it. `startedIn`: as in Provider.resolve. Throws AgentreeError("usage") for an unknown name. */
export function resolveModel(name: string, startedIn: string | undefined, facts: NameFacts = {}): string {
	const provider = providerOf(name, facts.hosts);
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
	const owner = providerOf(name, host.hosts);
	const isKeyless = owner === undefined || owner.hasKey?.(name, host) === false;
	const provider = (isKeyless ? providerOfAnyName(host.credentials) : undefined) ?? owner;
	if (provider === undefined) throw unknownName(name, host.nameFrom);
	return provider.open(name, host);
}

/** The credentials, with the keys that the model's provider fetches. Throws AgentreeError("key_missing"). */
export async function withFetchedKeys(
	name: string,
	host: Pick<ModelHost, "credentials" | "hosts" | "environment">,
): Promise<Credentials> {
	const fetched = await providerOf(name, host.hosts)?.fetchKeys?.(name, host);
	return { ...host.credentials, ...fetched };
}

/** What all services say that the user has a key for, or names. Throws AgentreeError for a key or an address that is none. */
export async function listServices(host: ListHost): Promise<ServiceList[]> {
	const lists = await Promise.all(PROVIDERS.map((provider) => provider.list?.(host)));
	return lists.flatMap((list) => list ?? []);
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The addresses that calls go to, by this environment. `hosts`: here and below as in ModelHost. */
export function serviceAddresses(env: Environment, hosts: readonly UserHost[] = []): string[] {
	const credentials = credentialsIn(env, hosts);
	return PROVIDERS.flatMap((provider) => provider.addresses?.(credentials, hosts) ?? []);
}

/** The environment variables that may hold a key, those that most use first. */
export function keyVariables(hosts: readonly UserHost[] = []): string[] {
	const known = PROVIDERS.flatMap(({ variables }) => variables.keys);
	return [...new Set([...known, ...hosts.flatMap(keyNames)])];
}

/** The last stands for what a command prints, which no variable holds. */
function keyNames(host: UserHost): string[] {
	const { name, keyVariables = [], keyCommand } = host;
	return [
		...keyVariables,
		...headerVariables(host),
		...(keyCommand === undefined ? [] : [`providers.${name}.key_command`]),
	];
}

/** The environment variables that may hold the address of a service. */
export function addressVariables(): string[] {
	return PROVIDERS.flatMap(({ variables }) => variables.addresses);
}

/** The variables of an environment that providers read. An empty variable counts as not set. */
export function credentialsIn(env: Environment, hosts: readonly UserHost[] = []): Credentials {
	return Object.fromEntries(allVariables(hosts).flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** The environment without the variables that providers read: what agents and their commands may see. */
export function withoutCredentials(
	env: Readonly<Record<string, string>>,
	hosts: readonly UserHost[] = [],
): Record<string, string> {
	const read = allVariables(hosts);
	return Object.fromEntries(Object.entries(env).filter(([name]) => !read.includes(name)));
}

/** Takes the variables that providers read out of the process's own environment, once they were read: libraries look there, too. */
export function forgetCredentials(env: Record<string, string | undefined>, hosts: readonly UserHost[] = []): void {
	for (const name of allVariables(hosts)) delete env[name];
}

function allVariables(hosts: readonly UserHost[]): string[] {
	const others = PROVIDERS.flatMap(({ variables }) => [...variables.addresses, ...variables.others]);
	return [...keyVariables(hosts), ...others];
}

function unknownName(name: string, from: string | undefined): AgentreeError {
	const names = PROVIDERS.flatMap((provider) => provider.names);
	const known = `known: ${names.join(", ")}${hintAboutModel(name, from)}`;
	return usageError(`unknown model "${name}"; ${known}${hintAboutService(name)}`);
}

/** Behind a name with a service that is not known. */
function hintAboutService(name: string): string {
	const [, service] = /^([\w.-]+)\//.exec(name) ?? [];
	return service === undefined ? "" : `; ${howToDescribe(service)}`;
}

/** What a person does whose service is not in the table. */
export function howToDescribe(service: string): string {
	const file = "the configuration file ($AGENTREE_CONFIG, else ~/.config/agentree/config.yaml)";
	return `to add a service ${service}, describe it under "providers" in ${file}`;
}

/** The variable in which the key of a service is looked for first; undefined for one that is not known, or needs none. */
export function keyVariableOf(service: string, hosts: readonly UserHost[]): string | undefined {
	return PROVIDERS.map((provider) => provider.keyVariableOf?.(service, hosts)).find(
		(variable) => variable !== undefined,
	);
}

/** The end of a line that refuses a name: the nearest known one, and where it came from. `from`: as ModelHost.nameFrom. */
export function hintAboutModel(name: string, from: string | undefined): string {
	const names = PROVIDERS.flatMap((provider) => provider.names);
	const aliases = PROVIDERS.flatMap((provider) => [...(provider.aliases?.keys() ?? [])]);
	const meant = PROVIDERS.flatMap((provider) => provider.meantBy?.(name) ?? []);
	const known = [...names, ...aliases, ...meant];
	// A name without a service was hardly meant to have one, unless it is just that which is missing.
	const near = known.filter((other) => name.includes("/") || !other.includes("/") || other.endsWith(`/${name}`));
	return hintAboutName(name, near, from);
}
