/** A model of a service: each call has bounds, and closing the model ends the calls under way. */
import type { Model, ModelCall, ModelOutcome, ModelRequest } from "../../core/model/model.ts";
import { boundCall, type CallBounds } from "./call-bounds.ts";

export interface BoundedCall {
	readonly request: ModelRequest;
	readonly call: ModelCall;
	readonly bounds: CallBounds;
}

/** `service`: as in Model. `maxSilenceMs`: how long to wait for an answer's first event, and for each next one. */
export function boundedModel(
	{ name, service, maxSilenceMs }: { name: string; service: string; maxSilenceMs: number },
	ask: (call: BoundedCall) => Promise<ModelOutcome>,
): Model {
	const open = new Set<CallBounds>();
	return {
		name,
		service,
		ask: async (request, call) => {
			const bounds = boundCall(call.signal, maxSilenceMs);
			open.add(bounds);
			try {
				return await ask({ request, call, bounds });
			} finally {
				bounds.release();
				open.delete(bounds);
			}
		},
		// Connections of calls under way hold the process; idle ones do not, Node's fetch sees to that.
		close: () => {
			for (const bounds of open) bounds.stop();
		},
	};
}
