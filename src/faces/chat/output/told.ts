/** What the conversation is told, in the order in which it happened. */
import type { ModelDelta } from "../../../core/model/model.ts";
import type { TranscriptEntry } from "../../../core/model/transcript.ts";
import type { RunEvent } from "../../../core/run/run-event.ts";

export type Told =
	/** An event of the run. `answer`: the last text of the agent that has ended. */
	| { readonly is: "event"; readonly event: RunEvent; readonly answer?: string | undefined }
	/** A line of the root's transcript. */
	| { readonly is: "entry"; readonly entry: TranscriptEntry }
	/** So many lines of the transcript come before those that are told first. */
	| { readonly is: "earlier"; readonly entries: number }
	/** Something may have happened that was not told; of the root's commands only these still run. What comes of an answer comes again. */
	| { readonly is: "again"; readonly running: readonly number[] }
	/** A piece of the root's answer. */
	| { readonly is: "delta"; readonly turn: number; readonly delta: ModelDelta }
	/** What a running command of the root has printed; before it so many bytes are left out. */
	| { readonly is: "printed"; readonly command: number; readonly lines: readonly string[]; readonly skipped: number };
