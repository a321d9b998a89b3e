/** The event for what happens to a call between its start and its answer. */
import type { RunEvent } from "../../core/run-event.ts";
import type { Input } from "./input.ts";

type CallInput = Extract<Input, { is: "retrying" | "cancelled" | "slowed" }>;

export function callEvent(input: CallInput, at: number): RunEvent {
	switch (input.is) {
		case "retrying": {
			const { is: _, ...rest } = input;
			return { event: "turn_retrying", at, ...rest };
		}
		case "cancelled": {
			const { is: _, kept: __, ...rest } = input;
			return { event: "turn_cancelled", at, ...rest };
		}
		case "slowed": {
			const { is: _, ...rest } = input;
			return { event: "calls_slowed", at, ...rest };
		}
	}
}
