/** What becomes of a service's answer: a reply, or the failure that it stands for. The same for all protocols. */
import { defined } from "../../core/defined.ts";
import type { AssistantBlock } from "../../core/model/message.ts";
import type { ModelOutcome } from "../../core/model/model.ts";
import { countedUsage, type Usage } from "../../core/model/usage.ts";
import { oneLine } from "../protocol/failure.ts";
import { validContent } from "../protocol/valid-content.ts";
import type { BoundedCall } from "./call-bounds.ts";
import { type Asked, causesOf, factsOfAnswer, failureOfBounds, failureOfError, unreachable } from "./call-failure.ts";

/** What the pieces of an answer make together. */
export type Assembled =
	| {
			readonly is: "whole";
			readonly content: AssistantBlock[];
			readonly stopReason: string;
			/** What the service says about the stop reason. */
			readonly stopWords?: string | undefined;
			/** By the service's name. */
			readonly model: string | undefined;
			readonly messageId: string | undefined;
	  }
	| { readonly is: "broken"; readonly reason: string };

export const CUT_OFF = { is: "broken", reason: "the service's answer was cut off before its end" } as const;

interface Assembly {
	/** What the service has reported so far. */
	usage(): Usage;
	/**
	 * The answer, after the last event. `isClean`: the stream ended by itself. A tool call that was not closed or does not parse has the
	 * input of `unreadableInput`. Throws for content that cannot be sent back.
	 */
	end(stream: { isClean: boolean }): Assembled;
}

export interface Received {
	/** Undefined: the service has not answered with the status 200. */
	readonly response: Response | undefined;
	/** What broke the answer off, or came in its place. */
	readonly error?: unknown;
}

interface Answered {
	readonly assembly: Assembly;
	readonly asked: Asked;
	/** The model that answered, from the service's name for it, if it gave one. */
	readonly nameOf: (model: string | undefined) => string;
}

export function outcomeOf(call: BoundedCall, received: Received, answered: Answered): ModelOutcome {
	try {
		return outcome(call, received, answered);
	} catch (error) {
		// The answer has a shape that nobody thought of; another answer to the same request may have a known one.
		return unreachable(`the service's answer cannot be read: ${oneLine(causesOf(error))}`, answered.assembly.usage());
	}
}

function outcome(
	{ request, call, bounds }: BoundedCall,
	{ response, error }: Received,
	{ assembly, asked, nameOf }: Answered,
): ModelOutcome {
	const usage = assembly.usage();
	const end = assembly.end({ isClean: error === undefined && bounds.brokenBy === undefined });
	if (end.is === "broken") {
		if (bounds.brokenBy !== undefined) return failureOfBounds(bounds.brokenBy, usage, asked.proxy);
		if (error === undefined) return unreachable(end.reason, usage);
		return failureOfError(error, { isConnected: response !== undefined, ...asked }, usage);
	}
	const { stopReason, stopWords, messageId } = end; // what breaks after the end of an answer does no harm to it
	const { requestId } = response === undefined ? {} : factsOfAnswer(response);
	return {
		is: "reply",
		content: validContent(end.content, stopReason, { messages: request.messages, turn: call.turn }),
		stopReason,
		...(stopWords && { stopWords: oneLine(stopWords) }),
		usage: countedUsage(usage),
		model: nameOf(end.model),
		...defined({ requestId, messageId }),
	};
}
