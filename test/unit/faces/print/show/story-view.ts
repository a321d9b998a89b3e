/** A view of stories without a terminal, of an agent that lives. */
import { PLAIN } from "../../../../../src/faces/print/paint.ts";
import type { StoryView } from "../../../../../src/faces/print/story-view.ts";
import { T0 } from "../../../record/fabricate.ts";

export function liveView(changes: Partial<StoryView> = {}): StoryView {
	return {
		...{ paint: PLAIN, columns: undefined, now: T0 + 12_000, isOver: false, isWhole: false, ref: "RUN/1" },
		pathOf: (log) => `1/${log}`,
		tailOf: () => undefined,
		...changes,
	};
}
