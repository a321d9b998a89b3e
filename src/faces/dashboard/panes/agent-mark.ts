/** What an agent does as one character and a tone, and how full its context is as a tone. */

import type { Doing } from "../../../core/doing.ts";
import type { Style } from "../../../tui/text/line.ts";

export interface Mark {
	readonly glyph: string;
	readonly tone: Style;
}

export const MARKS: Readonly<Record<Doing, Mark>> = {
	asking: { glyph: "?", tone: "alert" },
	running: { glyph: "●", tone: "busy" },
	thinking: { glyph: "◆", tone: "calm" },
	retrying: { glyph: "↻", tone: "warn" },
	queued: { glyph: "○", tone: "dim" },
	waiting: { glyph: "◌", tone: "plain" },
	listening: { glyph: "›", tone: "calm" },
	paused: { glyph: "‖", tone: "warn" },
	answered: { glyph: "✓", tone: "good" },
	stopped: { glyph: "■", tone: "dim" },
	failed: { glyph: "✗", tone: "bad" },
};

/** Agents that have been quiet for too long; they also count as what they do. */
export const SILENT_MARK: Mark = { glyph: "!", tone: "warn" };

const FULL_CONTEXT_SHARE = 0.8;

/** A context that is nearly full stands out from text of the tone `usual`. */
export function contextTone(share: number, usual: Style): Style {
	return share < FULL_CONTEXT_SHARE ? usual : "warn";
}
