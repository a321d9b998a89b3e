/** What the rest of the program may know of a model, whoever provides it. */
import type { Price } from "./price.ts";

export interface ModelFacts {
	/** The name for narrow places. */
	readonly shortName: string;
	/** The context window in tokens; undefined when it is not known. */
	readonly contextTokens: number | undefined;
	/** The longest answer that is asked for, in tokens. */
	readonly maxAnswerTokens: number;
	/** How long its answers may be is not known, so none is asked for unless the request has a bound of its own. */
	readonly isUnbounded?: true;
	readonly price: Price;
	/** Its calls go to a service: each holds a connection, and its errors are the service's. */
	readonly isRemote: boolean;
	/** It reads the messages of a request, so they cost tokens, and a summary makes them shorter. */
	readonly readsMessages: boolean;
	/** Its answer is the output of a command, byte for byte, which may be empty. */
	readonly answersBytes: boolean;
}

/** The window that is assumed where it is not known: that of the newest models. */
const USUAL_CONTEXT_TOKENS = 1_000_000;
/** Answers of coding agents are far shorter; a longer one is better cut than paid for. */
export const MAX_ANSWER_TOKENS = 32_000;

/** The facts that are assumed of an unknown model of a service. */
export function unknownModel(name: string): ModelFacts {
	return {
		shortName: name,
		contextTokens: undefined,
		maxAnswerTokens: MAX_ANSWER_TOKENS,
		price: { is: "unknown" },
		isRemote: true,
		readsMessages: true,
		answersBytes: false,
	};
}

/** The context window in tokens, assumed where it is not known. */
export function windowTokens({ contextTokens = USUAL_CONTEXT_TOKENS }: Pick<ModelFacts, "contextTokens">): number {
	return contextTokens;
}
