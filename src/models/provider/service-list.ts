/** What a service says of itself when it is asked for its models: those, or why there are none. */
import type { PriceTier } from "./price.ts";

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
