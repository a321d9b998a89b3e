/**
 * When a person is asked before a command runs. `never`: not at all, what would be asked about is refused. `edge`: where a rule says so, or
 * others would see what it does. `always`: before every command that no rule allows.
 */
export const ASK_MODES = ["never", "edge", "always"] as const;
export type AskMode = (typeof ASK_MODES)[number];

/** In a run that skips permissions nobody is asked, and nothing is refused but what a rule of the person denies. */
export const SKIPPED = "skipped";

/** `closed`: `always` where nobody is to be asked, so that what no rule allows is refused. */
export const NARROW_MODES = [...ASK_MODES, "closed"] as const;
export type NarrowMode = (typeof NARROW_MODES)[number];

export const MODES_IN_FORCE = [...NARROW_MODES, SKIPPED] as const;
export type ModeInForce = (typeof MODES_IN_FORCE)[number];

/**
 * The mode of an agent that wishes for one below `above`: it may be asked about more, and have fewer questions, never the other way
 * round. `wider`: the wish asks where nobody is to be asked, or leaves out what is to be asked about.
 */
export function narrowedMode(above: ModeInForce, wished: NarrowMode): NarrowMode | "wider" {
	if (wished === "closed") return wished;
	switch (above) {
		case "skipped":
		case "edge":
			return wished;
		case "never":
			return wished === "edge" ? "wider" : wished === "always" ? "closed" : "never";
		case "always":
			return wished === "edge" ? "wider" : wished === "never" ? "closed" : "always";
		case "closed":
			return wished === "edge" ? "wider" : "closed";
	}
}

interface Asking {
	readonly mode?: ModeInForce;
	/** A question waits for a person to come. */
	readonly waits: boolean;
}

/** Whether a person can be asked about a command. */
export function mayBeAsked({ mode, waits }: Asking = { waits: false }): boolean {
	return waits && mode !== "never" && mode !== "closed";
}
