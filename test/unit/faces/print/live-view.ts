/** How the transcript of an agent that lives is laid out without a terminal. */
import { PLAIN } from "../../../../src/faces/print/paint.ts";
import type { TranscriptView } from "../../../../src/faces/print/transcript-lines.ts";
import { T0 } from "../../record/fabricate.ts";

export function liveView(changes: Partial<TranscriptView> = {}): TranscriptView {
	return {
		...{ paint: PLAIN, columns: undefined, now: T0 + 12_000, isOver: false, isWhole: false, ref: "RUN/1" },
		pathOf: (log) => `1/${log}`,
		tailOf: () => undefined,
		...changes,
	};
}
