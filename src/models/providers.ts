/** All providers of models, in one table, and what is asked of whichever of them owns a name. */
import { AgentreeError } from "../core/errors.ts";
import type { Model } from "../core/model.ts";
import { ANTHROPIC } from "./anthropic/provider.ts";
import type { Credentials, ModelHost, Provider } from "./provider/provider.ts";
import { SCRIPT, scriptModel } from "./script/provider.ts";
import { SHELL } from "./shell/provider.ts";

export { scriptModel };

export const PROVIDERS: readonly Provider[] = [ANTHROPIC, SHELL, SCRIPT];

/** Of a run that names none. */
export const DEFAULT_MODEL = "claude-sonnet-5-5";

/** Undefined for a name that is no model's. */
export function providerOf(name: string): Provider | undefined {
	return PROVIDERS.find((provider) => provider.owns(name));
}

/** As `resolve` of the provider, which also says what `startedIn` is. Throws AgentreeError("usage"). */
export function resolveModel(name: string, startedIn: string | undefined): string {
	return requireProvider(name).resolve(name, startedIn);
}

/** Throws AgentreeError for a model that cannot be opened, as far as that can be seen at little cost. */
export function checkModel(name: string): void {
	requireProvider(name).check(name);
}

/** Throws AgentreeError: `usage`, `key_missing`, `script`. */
export async function openModel(name: string, host: ModelHost): Promise<Model> {
	return requireProvider(name).open(name, host);
}

/** The variables that may hold a key, in the order in which they count. */
export function keyVariables(): string[] {
	return PROVIDERS.flatMap(({ variables }) => variables.keys);
}

/** Of an environment: what providers read of it, and nothing else. An empty variable is one that is not set. */
export function credentialsIn(env: Readonly<Record<string, string | undefined>>): Credentials {
	return Object.fromEntries(allVariables().flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** Of an environment: what agents and their commands may see of it. */
export function withoutCredentials(env: Readonly<Record<string, string>>): Record<string, string> {
	const read = allVariables();
	return Object.fromEntries(Object.entries(env).filter(([name]) => !read.includes(name)));
}

function allVariables(): string[] {
	return PROVIDERS.flatMap(({ variables }) => [...variables.keys, ...variables.others]);
}

function requireProvider(name: string): Provider {
	const provider = providerOf(name);
	if (provider !== undefined) return provider;
	const known = PROVIDERS.flatMap(({ names }) => names).join(", ");
	throw new AgentreeError("usage", `unknown model "${name}"; known: ${known}`);
}
