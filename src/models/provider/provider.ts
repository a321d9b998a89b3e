/**
 * A provider of models, as the rest of the program sees it. A new provider is a folder with one of these, and a line in
 * providers.ts: no file outside models/ knows a model's name or a provider's words.
 */
import type { Model } from "../../core/model.ts";
import type { ModelFacts } from "./model-facts.ts";

export interface Provider {
	/** How its models are called, for help and errors: `claude-opus-5-5`, `script:FILE`. */
	readonly names: readonly string[];
	/** The variables of the environment that it reads; no agent gets to see them. */
	readonly variables: ProviderVariables;
	/** Each name has one owner at most. Whether there is such a model, only the provider's service can say. */
	owns(name: string): boolean;
	/** What is known of a model without asking anyone. */
	facts(name: string): ModelFacts;
	/**
	 * The name as a run keeps it, wherever its processes work: a file in it is absolute. `startedIn`: where the name was
	 * typed; undefined when that directory is gone. Throws AgentreeError("usage") for a name that can be no model.
	 */
	resolve(name: string, startedIn: string | undefined): string;
	/** Throws AgentreeError when it can be seen, at little cost, that the model cannot be opened. */
	check(name: string): void;
	/** Loads what the model needs (an SDK, a YAML reader). Throws AgentreeError: `usage`, `key_missing`, `script`. */
	open(name: string, host: ModelHost): Promise<Model>;
}

export interface ProviderVariables {
	/** Each may hold the key; the first that is set counts. None: no key is needed. */
	readonly keys: readonly string[];
	/** An address, and the like. */
	readonly others: readonly string[];
}

/** Values of providers' variables by their names. Held by the supervisor alone. */
export type Credentials = Readonly<Record<string, string>>;

export interface ModelHost {
	readonly credentials: Credentials;
	/** A service that says nothing for so long has broken off. */
	readonly maxSilenceMs: number;
	/** Milliseconds since the epoch. */
	readonly now: () => number;
}
