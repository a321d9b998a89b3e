/** Styles of texts as the dashboard's tones. Pure. */

import { type Line, segment, type Tone } from "../../../tui/text/line.ts";
import type { ShownLine, Style } from "../../../tui/text/styled-line.ts";

/** `tone`: of the whole that the text is a part of. */
export function toneOf(style: Style, tone: Tone = "plain"): Tone {
	switch (style) {
		case "plain":
			return tone;
		case "strong":
			return tone === "plain" ? "strong" : tone;
		case "code":
			return tone === "dim" ? tone : "busy";
		case "heading":
			return tone === "dim" ? tone : "heading";
		case "dim":
			return "dim";
		case "command":
			return "busy";
		case "good":
		case "warn":
		case "bad":
			return style;
		case "selected":
			return "alert";
	}
}

export function lineOf({ parts }: ShownLine): Line {
	return parts.map(({ text, style }) => segment(text, toneOf(style)));
}
