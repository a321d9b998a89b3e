/** What the rest of the program may know of a model, whoever provides it. */
import type { Price } from "./price.ts";

export interface ModelFacts {
	/** For a narrow place. */
	readonly shortName: string;
	/** Tokens of the context window; undefined when it is not known. */
	readonly contextTokens: number | undefined;
	/** How long an answer may be, in tokens. */
	readonly maxAnswerTokens: number;
	readonly price: Price;
	/** Each call holds a connection to a service, and an error is the service's. */
	readonly isRemote: boolean;
	/** The messages of a request go to a language model: they cost tokens, and a summary makes them shorter. */
	readonly readsMessages: boolean;
	/** An answer is what a command printed, byte for byte, which may be nothing. */
	readonly answersBytes: boolean;
}

/** Of a model whose window nobody knows: as large as the newest ones have it. */
const USUAL_CONTEXT_TOKENS = 1_000_000;
/** An answer of a coding agent is far below it; a longer one is better cut than paid for. */
export const MAX_ANSWER_TOKENS = 32_000;

/** The least that is known of a model of a service. */
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

/** The window to go by. */
export function windowTokens({ contextTokens = USUAL_CONTEXT_TOKENS }: Pick<ModelFacts, "contextTokens">): number {
	return contextTokens;
}
