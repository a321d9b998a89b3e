/** A run that a program talks with over stdin and stdout. */

import { converseOnStream } from "../stream/stream-conversation.ts";
import { gatherFacts } from "./gather-facts.ts";
import { type EndedRun, planRun } from "./plan-run.ts";
import type { StartRequest } from "./start-request.ts";

/** `first`: the message of the command line; without one, and without a run that is resumed, the first on stdin begins the run. */
export function streamWith(
	request: StartRequest,
	first: string | undefined,
	before: EndedRun | undefined,
): Promise<number> {
	const begin = async (message: string | undefined) => {
		const facts = await gatherFacts({ ...request, task: message }, { before, isTaskGiven: true });
		return planRun(request, { face: "stream", message }, facts);
	};
	const { outputFormat: format = "text" } = request;
	return converseOnStream({ begin, isResumed: before !== undefined, first, format, request, input: process.stdin });
}
