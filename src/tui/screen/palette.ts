/**
 * How each tone looks: pure. A tone keeps its difference without colours, too: bold, dim and inverse stay. Backgrounds are the
 * terminal's own, which may be light or dark.
 */
import { WriteStream } from "node:tty";
import type { Segment, Tone } from "../text/line.ts";

/** `few`: the terminal's own 16, whatever they look like. `many`: fixed ones of the 256. */
export type Colours = "none" | "few" | "many";

/** Parameters of SGR; empty: as the terminal shows text that nobody has styled. */
export type Style = string;

const BOLD = "1";
const DIM = "2";
const INVERSE = "7";

const LOOKS: Readonly<Record<Tone, { readonly plain: Style; readonly few?: Style; readonly many?: Style }>> = {
	plain: { plain: "" },
	strong: { plain: BOLD },
	dim: { plain: DIM, few: DIM, many: "38;5;243" },
	heading: { plain: BOLD, few: "1;36", many: "1;38;5;31" },
	busy: { plain: "", few: "36", many: "38;5;31" },
	calm: { plain: "", few: "35", many: "38;5;133" },
	good: { plain: "", few: "32", many: "38;5;28" },
	bad: { plain: BOLD, few: "31", many: "38;5;196" },
	warn: { plain: "", few: "33", many: "38;5;130" },
	alert: { plain: "1;7", few: "1;7;33", many: "1;7;38;5;130" },
	danger: { plain: "1;7", few: "1;7;31", many: "1;7;38;5;160" },
};

/** The selected line has no colours: inverted they would make a patchwork of it. */
export function styleOf({ tone, isSelected }: Segment, colours: Colours): Style {
	const look = LOOKS[tone];
	if (isSelected === true) return look.plain.startsWith(BOLD) && tone !== "bad" ? `${BOLD};${INVERSE}` : INVERSE;
	return colours === "none" ? look.plain : (look[colours] ?? look.plain);
}

const MANY_BITS = 8;
const FEW_BITS = 4;

/** https://no-color.org: a NO_COLOR that is not empty wins. Else Node knows which terminals have how many. */
export function coloursOf(env: Readonly<Record<string, string | undefined>>): Colours {
	const { NO_COLOR, NODE_DISABLE_COLORS: _, ...others } = env; // beside FORCE_COLOR both make Node warn on stderr
	if (NO_COLOR) return "none";
	const bits = WriteStream.prototype.getColorDepth(others);
	return bits >= MANY_BITS ? "many" : bits >= FEW_BITS ? "few" : "none";
}
