/** What happens to calls between their start and their answer, as the event log has it. */
import type { RunEvent } from "../../core/run-event.ts";
import type { Occurrence } from "./input.ts";

type CallOccurrence = Extract<Occurrence, { is: "retrying" | "cancelled" | "slowed" }>;

export function callEvent(occurrence: CallOccurrence, at: number): RunEvent {
	switch (occurrence.is) {
		case "retrying": {
			const { is: _, ...rest } = occurrence;
			return { event: "turn_retrying", at, ...rest };
		}
		case "cancelled": {
			const { is: _, ...rest } = occurrence;
			return { event: "turn_cancelled", at, ...rest };
		}
		case "slowed": {
			const { is: _, ...rest } = occurrence;
			return { event: "calls_slowed", at, ...rest };
		}
	}
}
