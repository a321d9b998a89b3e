/** What there is too little of, as events tell of it. Pure. */
import type { RunEvent } from "./run-event.ts";
import type { RunState } from "./schemas/run-state.ts";

type ShortageEvent = Extract<RunEvent, { event: "shortage_began" | "shortage_ended" | "calls_slowed" }>;

export function afterShortageEvent(state: RunState, event: ShortageEvent): RunState {
	switch (event.event) {
		case "shortage_began": {
			const { what, reason } = event;
			return { ...state, shortages: [...state.shortages, { what, reason }] };
		}
		case "shortage_ended":
			return { ...state, shortages: state.shortages.filter(({ what }) => what !== event.what) };
		case "calls_slowed": {
			const { at, reason, waitMs, maxCalls } = event;
			return { ...state, slowed: { reason, until: at + waitMs, maxCalls } };
		}
	}
}
