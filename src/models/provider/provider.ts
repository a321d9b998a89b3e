/**
 * A provider of models, as the rest of the program sees it. A new provider is a folder with an implementation, and a line in
 * providers.ts: no file outside models/ knows a model's name or a provider's error texts.
 */

import type { Model } from "../../core/model/model.ts";
import { nearestName } from "../../text/nearest-name.ts";
import type { ModelFacts, PriceTier } from "./model-facts.ts";
import type { UserHost } from "./user-host.ts";

export interface Provider {
	/** The names of its models, for help and errors: `claude-opus-5-5`, `script:FILE`. */
	readonly names: readonly string[];
	/** Names beside those, of which a person may have meant one by this. */
	meantBy?(name: string): readonly string[];
	/** Short words for some of them, with the names that they stand for. */
	readonly aliases?: ReadonlyMap<string, string>;
	/** The addresses that its calls go to, as far as the user has a key for them or names them; absent where none do. */
	addresses?(credentials: Credentials, hosts: readonly UserHost[]): string[];
	/** The environment variables that it reads; no agent gets to see them. */
	readonly variables: ProviderVariables;
	/** The variable of the key of a service that other tools call so: `anthropic`, `openai`; absent, undefined: not one of its own. */
	keyVariableOf?(service: string, hosts: readonly UserHost[]): string | undefined;
	/** True for the names of its models. Only a service can say whether a model exists. */
	owns(name: string, hosts?: readonly UserHost[]): boolean;
	/** False for a model whose service wants a key and has none, so that another provider may take its name; absent: true. */
	hasKey?(name: string, host: Pick<ModelHost, "credentials" | "hosts">): boolean;
	/** True when it also takes names that nobody owns, since only the service at an address of the user's own knows its models. */
	takesAnyName?(credentials: Credentials): boolean;
	/** Keys that are fetched for a model when a run starts, so that its supervisor has them, too; absent: none are. */
	fetchKeys?(name: string, host: Pick<ModelHost, "credentials" | "hosts" | "environment">): Promise<Credentials>;
	/** What is known of a model without asking a service. */
	facts(name: string): ModelFacts;
	/**
	 * The name as a run keeps it, in which a file has its absolute path, since processes work in several directories. `startedIn`:
	 * the directory in which the name was typed; undefined when it is gone. `from`: as ModelHost.nameFrom. Throws
	 * AgentreeError("usage") for a malformed name.
	 */
	resolve(name: string, startedIn: string | undefined, from?: string): string;
	/** The file that a name, as `resolve` gives it, names; absent where no name does. */
	file?(name: string): string;
	/** Asks each of its services that the user has a key for, or names, for its models; absent: it has none. Never rejects. */
	list?(host: ListHost): Promise<ServiceList[]>;
	/** Throws AgentreeError when a cheap look shows that the model cannot be opened. */
	check(name: string): void;
	/** Loads what the model needs (an SDK, a YAML reader) and opens it. Throws AgentreeError: `usage`, `key_missing`, `script`. */
	open(name: string, host: ModelHost): Promise<Model>;
}

/** As in ModelHost. */
export interface ListHost extends Pick<ModelHost, "credentials" | "hosts" | "environment" | "now"> {
	readonly withinMs: number;
}

interface ProviderVariables {
	/** Variables that may hold the key, of which the first that is set counts; empty when no key is needed. */
	readonly keys: readonly string[];
	/** Variables that may hold the address of the service, to which a key given with it goes. */
	readonly addresses: readonly string[];
	readonly others: readonly string[];
}

/** The values of providers' variables by name. Only the supervisor has them. */
export type Credentials = Readonly<Record<string, string>>;

/** What a model gets of the process that opens it. */
export interface ModelHost {
	readonly credentials: Credentials;
	/** The services that the user's configuration file describes; absent: none. */
	readonly hosts?: readonly UserHost[];
	/** What the environment says of proxies; absent: there are none. */
	readonly environment?: Readonly<Record<string, string | undefined>>;
	/** Where the model's name came from: `--model`, `ANTHROPIC_MODEL`; absent where that is not known. */
	readonly nameFrom?: string | undefined;
	/** A service that sends nothing for so long counts as broken off. */
	readonly maxSilenceMs: number;
	/** Milliseconds since the epoch. */
	readonly now: () => number;
}

/** What a service says of itself when it is asked for its models: those, or why there are none. */

export interface ServiceList {
	/** `anthropic`, `lab`. */
	readonly service: string;
	readonly address: string;
	readonly answer:
		| { readonly is: "models"; readonly models: readonly ListedModel[] }
		/** `exitCode`: as in ModelFailure. `isThere`: it has answered, and has no such list. */
		| { readonly is: "failure"; readonly reason: string; readonly exitCode: 1 | 75 | 77; readonly isThere: boolean };
}

export interface ListedModel {
	/** As `--model` takes it. */
	readonly name: string;
	/** What the service itself tells. */
	readonly contextTokens?: number;
	readonly price?: PriceTier;
}

/** What is said of a model's name that is not known: the nearest known one, and where the name came from. */

/** `; did you mean claude-opus-5-5? (the name is from ANTHROPIC_MODEL)`; empty when there is nothing to say. */
export function hintAboutName(name: string, known: readonly string[], from?: string): string {
	const whole = known.find((other) => other.endsWith(`/${name}`)); // the name of its service was left out
	const nearest = whole ?? nearestName(name, known);
	const meant = nearest === undefined || nearest === name ? "" : `; did you mean ${nearest}?`;
	if (from === undefined) return meant;
	if (meant !== "") return `${meant} (the name is from ${from})`;
	return from === "--model" ? "" : `; the name is from ${from}`; // that was just typed, a variable may be forgotten
}
