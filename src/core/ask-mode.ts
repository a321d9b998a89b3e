/**
 * When a person is asked before a command runs. `never`: not at all, what would be asked about is refused. `edge`: where a rule says so, or
 * others would see what it does. `always`: before every command that no rule allows.
 */
export const ASK_MODES = ["never", "edge", "always"] as const;
export type AskMode = (typeof ASK_MODES)[number];

/** In a run that skips permissions nobody is asked, and nothing is refused but what a rule of the person denies. */
export const SKIPPED = "skipped";

/** `closed`: `always` where nobody is to be asked, so that what no rule allows is refused. */
export type ModeInForce = AskMode | "closed" | typeof SKIPPED;

interface Asking {
	readonly mode?: ModeInForce;
	/** A question waits for a person to come. */
	readonly waits: boolean;
}

/** Whether a person can be asked to let a command leave the sandbox. */
export function mayAskToLeave({ mode, waits }: Asking = { waits: false }): boolean {
	return waits && mode !== "never" && mode !== "closed";
}
